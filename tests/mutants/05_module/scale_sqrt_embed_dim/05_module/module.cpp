#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex05 {
namespace {

// As in exercise 03, with the 0 / 0 of fully masked rows taken care of.
Tensor softmax_with_mask(const Tensor& scores, const Mask& mask) {
    Tensor shifted = masked_fill(scores, mask, -1e30F);
    shifted = shifted - max(shifted, -1, KeepAxis::yes);
    const Tensor e = masked_fill(exp(shifted), mask, 0.0F);
    return e / (sum(e, -1, KeepAxis::yes) + std::numeric_limits<float>::min());
}

class MultiHeadAttention final : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index width, nn::Bias bias)
        : options_(o),
          random_(o.seed),
          q_proj_(o.embed_dim, width, bias, random_),
          k_proj_(o.embed_dim, width, bias, random_),
          v_proj_(o.embed_dim, width, bias, random_),
          out_proj_(width, o.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || value.rank() != 3 || key.size(0) != value.size(0) || key.size(1) != value.size(1))
            throw std::invalid_argument("key and value must have the same batch and length");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F) {
            const Tensor u = random_.uniform(weights.shape(), 0.0F, 1.0F);
            for (Index i = 0; i < u.numel(); ++i)
                weights.data()[i] =
                    u.data()[i] < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        }
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query and key must be (B, T, D) and (B, S, D)");
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(options_.embed_dim));
        return softmax_with_mask(scores, options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask);
    }

private:
    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("sizes must be positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim does not work out");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads,
                                                options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
