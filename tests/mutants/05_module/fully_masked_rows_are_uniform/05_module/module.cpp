#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

constexpr float very_negative = -1e9F;

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          q_proj_(options.embed_dim, width(), bias(), random_),
          k_proj_(options.embed_dim, width(), bias(), random_),
          v_proj_(options.embed_dim, width(), bias(), random_),
          out_proj_(width(), options.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.rank() != 3) throw std::invalid_argument("value is not (B, S, D)");
        Tensor weights = attention_weights(query, key, mask);
        if (value.size(0) != weights.size(0) || value.size(1) != weights.size(3))
            throw std::invalid_argument("value is not of the size of key");
        const bool dropping = is_training() && options_.dropout > 0.0F;
        for (Index i = 0; dropping && i < weights.numel(); ++i) {
            if (random_.uniform() < options_.dropout)
                weights.data()[i] = 0.0F;
            else
                weights.data()[i] /= 1.0F - options_.dropout;
        }
        return out_proj_.forward(merge(matmul(weights, split(v_proj_.forward(value)))));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query or key is not of rank 3");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("query and key are not of one batch");
        const Tensor q = split(q_proj_.forward(query)), k = split(k_proj_.forward(key));
        Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        if (mask.defined()) scores = masked_fill(scores, mask, very_negative);
        if (options_.causal)
            scores = masked_fill(scores, given::causal_mask(query.size(1), key.size(1)), very_negative);
        const Tensor exponentials = exp(scores - max(scores, 3, KeepAxis::yes));
        return exponentials / sum(exponentials, 3, KeepAxis::yes);
    }

private:
    Index width() const { return options_.num_heads * head_dim_; }
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }
    Tensor split(const Tensor& x) const {
        return x.view({x.size(0), x.size(1), options_.num_heads, head_dim_}).transpose(1, 2);
    }
    Tensor merge(const Tensor& x) const { return x.transpose(1, 2).contiguous().view({x.size(0), x.size(2), width()}); }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim should be positive");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads should be positive");
    if (options.dropout >= 0.0F && options.dropout < 1.0F) {
        if (options.head_dim && *options.head_dim >= 1)
            return std::make_unique<MultiHeadAttention>(options, *options.head_dim);
        if (!options.head_dim && options.embed_dim % options.num_heads == 0)
            return std::make_unique<MultiHeadAttention>(options, options.embed_dim / options.num_heads);
        throw std::invalid_argument("head_dim should be positive, or embed_dim divisible by num_heads");
    }
    throw std::invalid_argument("dropout should be in [0, 1)");
}

}  // namespace headway::ex05
