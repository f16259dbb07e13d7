#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
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

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const auto [q, k, v] = project(query, key, value);
        given::Attended attended = given::scaled_dot_product_attention(q, k, v, with_future(mask, q, k));
        if (is_training() && options_.dropout > 0.0F)
            attended.context = matmul(attended.weights * dropout_factors(attended.weights.shape()), v);
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const auto [q, k, v] = project(query, key, key);
        return given::scaled_dot_product_attention(q, k, v, with_future(mask, q, k)).weights;
    }

private:
    struct Projected {
        Tensor q, k, v;
    };

    Projected project(const Tensor& query, const Tensor& key, const Tensor& value) const {
        return {given::split_heads(q_proj_.forward(query), options_.num_heads),
                given::split_heads(k_proj_.forward(key), options_.num_heads),
                given::split_heads(v_proj_.forward(value), options_.num_heads)};
    }

    Mask with_future(const Mask& mask, const Tensor& q, const Tensor& k) const {
        return options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
    }

    Tensor dropout_factors(const Shape& shape) {
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

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::runtime_error("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::runtime_error("num_heads must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::runtime_error("dropout must be in [0, 1)");
    if (options.head_dim && *options.head_dim < 1) throw std::runtime_error("head_dim must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::runtime_error("embed_dim must be divisible by num_heads");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
