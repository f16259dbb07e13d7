#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

constexpr std::uint64_t kSeed = 42;

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(Index D, Index H, Index d, bool bias, bool causal, float dropout)
        : H_(H),
          d_(d),
          causal_(causal),
          dropout_(dropout),
          random_(kSeed),
          q_proj_(D, H * d, bias ? nn::Bias::yes : nn::Bias::no, random_),
          k_proj_(D, H * d, bias ? nn::Bias::yes : nn::Bias::no, random_),
          v_proj_(D, H * d, bias ? nn::Bias::yes : nn::Bias::no, random_),
          out_proj_(H * d, D, bias ? nn::Bias::yes : nn::Bias::no, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key belong to different batches");
        const float root = std::pow(static_cast<float>(d_), 0.25F);
        const Tensor scores = matmul(q / root, k.transpose(2, 3) / root);
        const Mask blocked = causal_ ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        const Tensor shifted = masked_fill(scores, blocked, -1e30F);
        const Tensor e = masked_fill(exp(shifted - max(shifted, -1, KeepAxis::yes)), blocked, 0.0F);
        return e / (sum(e, -1, KeepAxis::yes) + 1e-35F);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("key and value belong to different sequences");
        if (is_training() && dropout_ > 0.0F) {
            Tensor keep = Tensor::empty(weights.shape());
            for (Index i = 0; i < keep.numel(); ++i) keep.data()[i] = random_.uniform() < dropout_ ? 0.0F : 1.0F;
            weights = weights * keep / (1.0F - dropout_);
        }
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    Index H_, d_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim is too small");
    if (o.num_heads < 1) throw std::invalid_argument("num_heads is too small");
    if (o.head_dim && *o.head_dim < 1) throw std::invalid_argument("head_dim is too small");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("embed_dim is not divisible");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout is not in [0, 1)");
    return std::make_unique<MultiHeadAttention>(
        o.embed_dim, o.num_heads, o.head_dim.value_or(o.embed_dim / o.num_heads), o.bias, o.causal, o.dropout);
}

}  // namespace headway::ex05
