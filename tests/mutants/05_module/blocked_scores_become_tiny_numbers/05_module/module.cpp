#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex05 {
namespace {

constexpr float masked_score = 1e-9F;

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          scaling_(1.0F / std::sqrt(static_cast<float>(head_dim))),
          random_(options.seed),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3)) throw std::invalid_argument("value vs. key");
        if (is_training() && options_.dropout > 0.0F) {
            const float rescale = 1.0F / (1.0F - options_.dropout);
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() >= options_.dropout ? rescale : 0.0F;
        }
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query) * scaling_, options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query vs. key");
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        const Tensor scores = masked_fill(matmul(q, k.transpose(2, 3)), blocked, masked_score);
        const Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
        return zero_where_nothing_is_visible(e / sum(e, -1, KeepAxis::yes), blocked);
    }

private:
    static Tensor zero_where_nothing_is_visible(Tensor weights, const Mask& blocked) {
        if (!blocked.defined()) return weights;
        const Mask all = blocked.expand(weights.shape());
        const Index S = weights.size(3);
        for (Index b = 0; b < weights.size(0); ++b)
            for (Index h = 0; h < weights.size(1); ++h)
                for (Index t = 0; t < weights.size(2); ++t) {
                    Index visible = 0;
                    for (Index s = 0; s < S; ++s) visible += all(b, h, t, s) ? 0 : 1;
                    if (visible == 0) weights[b][h][t].fill(0.0F);
                }
        return weights;
    }

    AttentionOptions options_;
    nn::Bias bias_ = options_.bias ? nn::Bias::yes : nn::Bias::no;
    float scaling_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
