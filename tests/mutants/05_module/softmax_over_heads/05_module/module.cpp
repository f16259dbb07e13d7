#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Softmax over axis 1, in place; 0 where everything is -inf.
void softmax_(Tensor& x) {
    for (Index b = 0; b < x.size(0); ++b)
        for (Index i = 0; i < x.size(2); ++i)
            for (Index j = 0; j < x.size(3); ++j) {
                float top = -INFINITY, total = 0.0F;
                for (Index n = 0; n < x.size(1); ++n) top = std::fmax(top, x(b, n, i, j));
                for (Index n = 0; n < x.size(1); ++n)
                    total += x(b, n, i, j) = std::isinf(top) ? 0.0F : std::exp(x(b, n, i, j) - top);
                for (Index n = 0; n < x.size(1) && total > 0.0F; ++n) x(b, n, i, j) /= total;
            }
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = split(q_proj_.forward(query)), k = split(k_proj_.forward(key));
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key: one batch size, please");
        Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        const Mask blocked = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        scores = masked_fill(scores, blocked, -INFINITY);
        softmax_(scores);
        return scores;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = split(v_proj_.forward(value));
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("key and value: one size, please");
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Bias bias_;
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
