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
          p_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, H_ * d_, bias_, random_),
          k_proj_(options.embed_dim, H_ * d_, bias_, random_),
          v_proj_(options.embed_dim, H_ * d_, bias_, random_),
          out_proj_(H_ * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    /// q·kᵀ / √head_dim, -inf where a key is blocked.
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_),
                     k = given::split_heads(k_proj_.forward(key), H_);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("batch sizes of query and key differ");
        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d_));
        return masked_fill(scores, causal_ ? given::causal_mask(q.size(2), k.size(2)) | mask : mask, -INFINITY);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = softmax(attention_weights(query, key, mask));
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("batch sizes or lengths of key and value differ");
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < p_ ? 0.0F : weights.data()[i] / (1.0F - p_);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    static Tensor softmax(const Tensor& scores) {
        Tensor top = max(scores, -1, KeepAxis::yes);
        for (Index i = 0; i < top.numel(); ++i)
            if (top.data()[i] == -INFINITY) top.data()[i] = 0.0F;
        const Tensor e = exp(scores - top);
        Tensor total = sum(e, -1, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
        return e / total;
    }

    Index H_, d_;
    bool causal_;
    float p_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("not enough features or heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("not enough features in a head");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("heads do not divide");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
