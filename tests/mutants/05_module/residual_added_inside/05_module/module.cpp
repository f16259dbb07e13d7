#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class AttentionBlock : public Attention {
public:
    AttentionBlock(const AttentionOptions& options, Index inner, nn::Bias bias)
        : options_(options),
          random_(options.seed),
          q_proj_(options.embed_dim, inner, bias, random_),
          k_proj_(options.embed_dim, inner, bias, random_),
          v_proj_(options.embed_dim, inner, bias, random_),
          out_proj_(inner, options.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        const Tensor weights = thinned(attend(query, key, v, mask).weights);
        const Tensor attended = out_proj_.forward(given::merge_heads(matmul(weights, v)));
        // Attention edits the token, it does not replace it (lesson 01).
        return query + attended;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        return given::scaled_dot_product_attention(
            q, k, v, options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask);
    }

    Tensor thinned(Tensor weights) {
        if (!is_training() || options_.dropout == 0.0F) return weights;
        const Index n = weights.numel();
        for (Index i = 0; i < n; ++i) {
            const float draw = random_.uniform();
            weights.data()[i] = draw < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        }
        return weights;
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: 1 or more");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: 1 or more");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim: 1 or more");
    if (!(options.dropout >= 0.0F) || options.dropout >= 1.0F)
        throw std::invalid_argument("dropout: 0 or more, below 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim: a multiple of num_heads where head_dim is not given");
    const Index inner = options.head_dim ? options.num_heads * *options.head_dim : options.embed_dim;
    return std::make_unique<AttentionBlock>(options, inner, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
