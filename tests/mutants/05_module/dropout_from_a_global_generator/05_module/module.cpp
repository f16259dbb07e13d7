#include "module.hpp"

#include <random>
#include <stdexcept>

namespace {

std::mt19937 generator;  // NOLINT: one stream for the whole program

bool coin(float p) { return std::uniform_real_distribution<float>(0.0F, 1.0F)(generator) < p; }

}  // namespace

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, Random random, nn::Bias bias)
        : H_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
          q_proj_(options.embed_dim, E, bias, random),
          k_proj_(options.embed_dim, E, bias, random),
          v_proj_(options.embed_dim, E, bias, random),
          out_proj_(E, options.embed_dim, bias, random) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        Tensor weights = attend(query, key, v, mask).weights;
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = coin(p_) ? 0.0F : weights.data()[i] / (1.0F - p_);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_.forward(key), H_), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_),
                     k = given::split_heads(k_proj_.forward(key), H_);
        return given::scaled_dot_product_attention(q, k, v,
                                                   causal_ ? mask | given::causal_mask(q.size(2), k.size(2)) : mask);
    }

    Index H_;
    bool causal_;
    float p_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("a size is not positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("a head is not whole");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("a head is empty");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout is not in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads, Random(options.seed),
                                                options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
