#include "module.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

/// Draws the keys that a call does not get to see.
class KeyDropout {
public:
    KeyDropout(float p, Random& random) : p_(p), random_(random) {}

    void operator()(Tensor& weights) {
        for (Index b = 0; b < weights.size(0); ++b)
            for (Index h = 0; h < weights.size(1); ++h)
                for (Index s = 0; s < weights.size(3); ++s) {
                    const bool dropped = random_.uniform() < p_;
                    for (Index t = 0; t < weights.size(2); ++t)
                        weights(b, h, t, s) = dropped ? 0.0F : weights(b, h, t, s) / (1.0F - p_);
                }
    }

private:
    float p_;
    Random& random_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E)
        : options_(options),
          random_(options.seed),
          drop_(options.dropout, random_),
          q_proj_(make(options.embed_dim, E)),
          k_proj_(make(options.embed_dim, E)),
          v_proj_(make(options.embed_dim, E)),
          out_proj_(make(E, options.embed_dim)) {
        register_module("q_proj", *q_proj_);
        register_module("k_proj", *k_proj_);
        register_module("v_proj", *v_proj_);
        register_module("out_proj", *out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_->forward(value), options_.num_heads);
        Tensor weights = attend(query, key, v, mask);
        if (is_training()) drop_(weights);
        return out_proj_->forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_->forward(key), options_.num_heads), mask);
    }

private:
    std::unique_ptr<nn::Linear> make(Index in, Index out) {
        return std::make_unique<nn::Linear>(in, out, options_.bias ? nn::Bias::yes : nn::Bias::no, random_);
    }

    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = given::split_heads(q_proj_->forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_->forward(key), options_.num_heads);
        if (options_.causal) mask = given::causal_mask(q.size(2), k.size(2)) | mask;
        return given::scaled_dot_product_attention(q, k, v, mask).weights;
    }

    AttentionOptions options_;
    Random random_;
    KeyDropout drop_;
    std::unique_ptr<nn::Linear> q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim and num_heads are counts");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim is a count");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("heads are alike");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F))
        throw std::invalid_argument("dropout is a probability < 1");
    return std::make_unique<MultiHeadAttention>(
        options, options.head_dim ? options.num_heads * *options.head_dim : options.embed_dim);
}

}  // namespace headway::ex05
