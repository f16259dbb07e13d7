#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHead : public Attention {
public:
    MultiHead(const AttentionOptions& options, Index head_dim)
        : heads_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias(options), random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias(options), random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias(options), random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias(options), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("forward: key and value differ in shape");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && p_ > 0.0F && !mask.defined()) drop(weights);
        const Tensor v = given::split_heads(v_proj_.forward(value), heads_);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), heads_);
        const Tensor k = given::split_heads(k_proj_.forward(key), heads_);
        return given::scaled_dot_product_attention(q, k, k, blocked(mask, q.size(2), k.size(2))).weights;
    }

private:
    static nn::Bias bias(const AttentionOptions& options) { return options.bias ? nn::Bias::yes : nn::Bias::no; }

    Mask blocked(const Mask& mask, Index T, Index S) const { return causal_ ? mask | given::causal_mask(T, S) : mask; }

    void drop(Tensor& weights) {
        float* w = weights.data();
        for (Index i = 0; i < weights.numel(); ++i) w[i] = random_.uniform() < p_ ? 0.0F : w[i] / (1.0F - p_);
    }

    Index heads_;
    bool causal_;
    float p_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim) {
        if (*options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    } else if (options.embed_dim % options.num_heads != 0) {
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    }
    return std::make_unique<MultiHead>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
