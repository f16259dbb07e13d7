#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class Dropout {
public:
    Dropout(float p, std::uint64_t seed) : p_(p), random_(seed) {}

    void disable() { p_ = 0.0F; }

    Tensor operator()(const Tensor& weights) {
        if (p_ == 0.0F) return weights;
        Tensor scale = random_.uniform(weights.shape(), 0.0F, 1.0F);
        for (Index i = 0; i < scale.numel(); ++i) scale.data()[i] = scale.data()[i] < p_ ? 0.0F : 1.0F / (1.0F - p_);
        return weights * scale;
    }

private:
    float p_;
    Random random_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E)
        : H_(options.num_heads),
          causal_(options.causal),
          init_(options.seed),
          dropout_(options.dropout, init_.next()),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, init_),
          k_proj_(options.embed_dim, E, bias_, init_),
          v_proj_(options.embed_dim, E, bias_, init_),
          out_proj_(E, options.embed_dim, bias_, init_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (!is_training()) dropout_.disable();
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        const Tensor weights = dropout_(attend(query, key, v, mask));
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_.forward(key), H_), mask);
    }

private:
    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        if (causal_) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask).weights;
    }

    Index H_;
    bool causal_;
    Random init_;
    Dropout dropout_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim = " + std::to_string(options.embed_dim) + " < 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads = " + std::to_string(options.num_heads) + " < 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout is not in [0, 1)");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim is not a multiple of num_heads");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("head_dim < 1");
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads);
}

}  // namespace headway::ex05
