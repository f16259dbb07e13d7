#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : H_(options.num_heads),
          d_(head_dim),
          causal_(options.causal),
          dropout_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, H_ * d_, bias(options), random_),
          k_proj_(options.embed_dim, H_ * d_, bias(options), random_),
          v_proj_(options.embed_dim, H_ * d_, bias(options), random_),
          out_proj_(H_ * d_, options.embed_dim, bias(options), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("batch sizes differ");
        const Tensor scores = matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(d_));
        if (causal_) masked_fill(scores, given::causal_mask(q.size(2), k.size(2)), -INFINITY);
        masked_fill(scores, mask, -INFINITY);
        const Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
        return e / sum(e, -1, KeepAxis::yes);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("value: wrong shape");
        return out_proj_.forward(given::merge_heads(matmul(drop(weights), v)));
    }

private:
    static nn::Bias bias(const AttentionOptions& o) { return o.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor drop(const Tensor& weights) {
        if (!is_training() || dropout_ == 0.0F) return weights;
        Tensor keep = Tensor::zeros(weights.shape());
        for (Index i = 0; i < keep.numel(); ++i) keep.data()[i] = random_.uniform() < dropout_ ? 0.0F : 1.0F;
        return weights * keep / (1.0F - dropout_);
    }

    Index H_, d_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("embed_dim and num_heads must be positive");
    if (o.head_dim ? *o.head_dim < 1 : o.embed_dim % o.num_heads != 0) throw std::invalid_argument("no valid head_dim");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("no valid dropout");
    return std::make_unique<MultiHeadAttention>(o, o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads);
}

}  // namespace headway::ex05
