#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Softmax along one axis; where a slice has only -inf, zeros.
Tensor softmax(const Tensor& x, Index dim) {
    Tensor top = max(x, dim, KeepAxis::yes);
    for (Index i = 0; i < top.numel(); ++i)
        if (std::isinf(top.data()[i])) top.data()[i] = 0.0F;
    const Tensor e = exp(x - top);
    Tensor total = sum(e, dim, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
    return e / total;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : num_heads_(options.num_heads),
          head_dim_(head_dim),
          causal_(options.causal),
          dropout_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, num_heads_ * head_dim_, bias_, random_),
          k_proj_(options.embed_dim, num_heads_ * head_dim_, bias_, random_),
          v_proj_(options.embed_dim, num_heads_ * head_dim_, bias_, random_),
          out_proj_(num_heads_ * head_dim_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), num_heads_);
        const Tensor k = given::split_heads(k_proj_.forward(key), num_heads_);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key: batch sizes differ");
        Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        if (mask.defined()) scores = masked_fill(scores, mask, -INFINITY);
        if (causal_) scores = masked_fill(scores, given::causal_mask(q.size(2), k.size(2)), -INFINITY);
        return softmax(scores, 2);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), num_heads_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("key and value: sizes differ");
        if (is_training() && dropout_ > 0.0F) {
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < dropout_ ? 0.0F : weights.data()[i] / (1.0F - dropout_);
        }
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    Index num_heads_, head_dim_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("D % H must be 0");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
