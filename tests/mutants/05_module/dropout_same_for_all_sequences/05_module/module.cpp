#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

class PerSequence : public Attention {
public:
    PerSequence(const AttentionOptions& o, Index d)
        : heads_(o.num_heads),
          causal_(o.causal),
          dropout_(o.dropout),
          random_(o.seed),
          bias_(o.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(o.embed_dim, heads_ * d, bias_, random_),
          k_proj_(o.embed_dim, heads_ * d, bias_, random_),
          v_proj_(o.embed_dim, heads_ * d, bias_, random_),
          out_proj_(heads_ * d, o.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), heads_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("value: wrong shape");
        const Tensor factors = dropout_factors({heads_, weights.size(2), weights.size(3)});
        Tensor context = Tensor::empty({v.size(0), heads_, weights.size(2), v.size(3)});
        for (Index b = 0; b < v.size(0); ++b) context[b].copy_from(matmul(weights[b] * factors, v[b]));
        return out_proj_.forward(given::merge_heads(context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), heads_);
        const Tensor k = given::split_heads(k_proj_.forward(key), heads_);
        if (!causal_) return given::scaled_dot_product_attention(q, k, k, mask).weights;
        return given::scaled_dot_product_attention(q, k, k, mask | given::causal_mask(q.size(2), k.size(2))).weights;
    }

private:
    Tensor dropout_factors(const Shape& shape) {
        Tensor factors = Tensor::ones(shape);
        if (!is_training() || dropout_ == 0.0F) return factors;
        for (Index i = 0; i < factors.numel(); ++i)
            factors.data()[i] = random_.uniform() < dropout_ ? 0.0F : 1.0F / (1.0F - dropout_);
        return factors;
    }

    Index heads_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim/num_heads");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    const Index d = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<PerSequence>(options, d);
}

}  // namespace headway::ex05
