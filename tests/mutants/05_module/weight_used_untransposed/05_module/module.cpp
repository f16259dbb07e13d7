#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

Tensor affine(const Tensor& x, const nn::Linear& layer) {
    if (x.rank() != 3) throw std::invalid_argument("affine: (B, length, width) is needed");
    const Tensor product = matmul(x, layer.weight);
    return layer.bias.defined() ? product + layer.bias : product;
}

class PlainAttention : public Attention {
public:
    PlainAttention(const AttentionOptions& o, Index head_dim)
        : H_(o.num_heads),
          d_(head_dim),
          causal_(o.causal),
          p_(o.dropout),
          random_(o.seed),
          q_(o.embed_dim, H_ * d_, bias_of(o), random_),
          k_(o.embed_dim, H_ * d_, bias_of(o), random_),
          v_(o.embed_dim, H_ * d_, bias_of(o), random_),
          out_(H_ * d_, o.embed_dim, bias_of(o), random_) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", out_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(affine(query, q_), H_), k = given::split_heads(affine(key, k_), H_);
        Mask m = mask;
        if (causal_) m = m | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, k, m).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(affine(value, v_), H_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("value does not fit key");
        if (is_training() && p_ > 0.0F) {
            Tensor survivors = Tensor::full(weights.shape(), 1.0F / (1.0F - p_));
            for (Index i = 0; i < survivors.numel(); ++i)
                if (random_.uniform() < p_) survivors.data()[i] = 0.0F;
            weights *= survivors;
        }
        return affine(given::merge_heads(matmul(weights, v)), out_);
    }

private:
    static nn::Bias bias_of(const AttentionOptions& o) { return o.bias ? nn::Bias::yes : nn::Bias::no; }

    Index H_, d_;
    bool causal_;
    float p_;
    Random random_;
    nn::Linear q_, k_, v_, out_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads)
        throw std::invalid_argument("embed_dim % num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<PlainAttention>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
