#include "module.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

namespace headway::ex05 {
namespace {

using Blocks = std::function<bool(Index b, Index h, Index t, Index s)>;

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index head_dim)
        : o_(o),
          head_dim_(head_dim),
          random_(o.seed),
          q_proj_(o.embed_dim, o.num_heads * head_dim, bias(), random_),
          k_proj_(o.embed_dim, o.num_heads * head_dim, bias(), random_),
          v_proj_(o.embed_dim, o.num_heads * head_dim, bias(), random_),
          out_proj_(o.num_heads * head_dim, o.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), o_.num_heads);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("forward: value must be as many and as long as key");
        if (is_training() && o_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < o_.dropout ? 0.0F : weights.data()[i] / (1.0F - o_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), o_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), o_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key must have the same batch size");
        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        return softmax(scores, blocks(mask, scores.shape()));
    }

private:
    nn::Bias bias() const { return o_.bias ? nn::Bias::yes : nn::Bias::no; }

    Blocks blocks(const Mask& mask, const Shape& full) const {
        const Index shift = full[3] - full[2];
        const Blocks future = [shift](Index, Index, Index t, Index s) { return s > t + shift; };
        if (!mask.defined()) return o_.causal ? future : [](Index, Index, Index, Index) { return false; };
        const Mask wide = mask.expand(full);
        const Blocks masked = [wide](Index b, Index h, Index t, Index s) { return wide(b, h, t, s); };
        if (!o_.causal) return masked;
        return [=](Index b, Index h, Index t, Index s) { return masked(b, h, t, s) && future(b, h, t, s); };
    }

    static Tensor softmax(const Tensor& scores, const Blocks& blocked) {
        Tensor w = Tensor::zeros(scores.shape());
        for (Index b = 0; b < w.size(0); ++b)
            for (Index h = 0; h < w.size(1); ++h)
                for (Index t = 0; t < w.size(2); ++t) {
                    // Running maximum and sum, rescaled whenever the maximum grows.
                    float top = -INFINITY, total = 0.0F;
                    for (Index s = 0; s < w.size(3); ++s) {
                        if (blocked(b, h, t, s)) continue;
                        const float x = scores(b, h, t, s);
                        const float new_top = std::fmax(top, x);
                        total = total * std::exp(top - new_top) + std::exp(x - new_top);
                        top = new_top;
                    }
                    for (Index s = 0; s < w.size(3); ++s)
                        if (!blocked(b, h, t, s)) w(b, h, t, s) = std::exp(scores(b, h, t, s) - top) / total;
                }
        return w;
    }

    AttentionOptions o_;
    Index head_dim_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim is below 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads is below 1");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim is below 1");
    if (!(options.dropout >= 0.0F)) throw std::invalid_argument("dropout is below 0");
    if (!(options.dropout < 1.0F)) throw std::invalid_argument("dropout is not below 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim is not a multiple of num_heads");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
