#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E)
        : options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, random_),
          k_proj_(options.embed_dim, E, bias_, random_),
          v_proj_(options.embed_dim, E, bias_, random_),
          out_proj_(E, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(v_proj_.forward(value));
        Tensor weights = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F)
            weights = weights * keep_factors({weights.size(0), 1, weights.size(2), weights.size(3)});
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, split(k_proj_.forward(key)), mask);
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = split(q_proj_.forward(query)), k = split(k_proj_.forward(key));
        const Mask all = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, v, all).weights;
    }

    /// 0 with probability p, else 1 / (1 - p).
    Tensor keep_factors(const Shape& shape) {
        Tensor factors = random_.uniform(shape, 0.0F, 1.0F);
        for (Index i = 0; i < factors.numel(); ++i)
            factors.data()[i] = factors.data()[i] < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return factors;
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim " + std::to_string(options.embed_dim));
    if (options.num_heads < 1) throw std::invalid_argument("num_heads " + std::to_string(options.num_heads));
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("indivisible");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("head_dim " + std::to_string(head_dim));
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads);
}

}  // namespace headway::ex05
