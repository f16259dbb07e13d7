#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim, nn::Bias bias)
        : num_heads_{options.num_heads},
          causal_{options.causal},
          dropout_{options.dropout},
          random_{options.seed},
          q_proj_{options.embed_dim, head_dim * num_heads_, bias, random_},
          k_proj_{options.embed_dim, head_dim * num_heads_, bias, random_},
          v_proj_{options.embed_dim, head_dim * num_heads_, bias, random_},
          out_proj_{head_dim * num_heads_, options.embed_dim, bias, random_} {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor v = v_proj_.forward(value);
        v = given::split_heads(v, num_heads_);
        given::Attended attended = attend(query, key, v, mask);
        if (dropout_ > 0.0F && is_training()) {
            drop_out(attended.weights);
            attended.context = matmul(attended.weights, v);
        }
        const Tensor merged = given::merge_heads(attended.context);
        return out_proj_.forward(merged);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        // The values play no part in the weights: any will do.
        return attend(query, key, given::split_heads(v_proj_.forward(key), num_heads_), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        Tensor q = q_proj_.forward(query);
        Tensor k = k_proj_.forward(key);
        q = given::split_heads(q, num_heads_);
        k = given::split_heads(k, num_heads_);
        if (causal_) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    void drop_out(Tensor& weights) {
        for (Index i = 0; i < weights.numel(); i++) {
            if (random_.uniform() < dropout_) {
                weights.data()[i] = 0.0F;
            } else {
                weights.data()[i] /= 1.0F - dropout_;
            }
        }
    }

    Index num_heads_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) {
        throw std::invalid_argument("embed_dim and num_heads must be positive");
    }
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) {
        throw std::invalid_argument("dropout must lie in [0, 1)");
    }
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) {
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    }
    const Index head_dim = options.head_dim.value_or(options.embed_dim);
    if (head_dim < 1) {
        throw std::invalid_argument("head_dim must be positive");
    }
    return std::make_unique<MultiHeadAttention>(options, head_dim, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
