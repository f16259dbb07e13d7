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

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor e = exponentials(query, key, mask);
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < e.numel(); ++i)
                if (random_.uniform() < p_) e.data()[i] = 0.0F;
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        if (v.size(0) != e.size(0) || v.size(2) != e.size(3)) throw std::invalid_argument("value does not fit key");
        return out_proj_.forward(given::merge_heads(matmul(divided_by_sum(e), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return divided_by_sum(exponentials(query, key, mask));
    }

private:
    /// exp(scores - their row's maximum), 0 where a key is blocked.
    Tensor exponentials(const Tensor& query, const Tensor& key, Mask mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query does not fit key");
        if (causal_) mask = mask | given::causal_mask(q.size(2), k.size(2));
        const Tensor scores =
            masked_fill(matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d_)), mask, -1e30F);
        return masked_fill(exp(scores - max(scores, -1, KeepAxis::yes)), mask, 0.0F);
    }

    static Tensor divided_by_sum(const Tensor& e) {
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
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim and num_heads must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("D mod H must be 0");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("head_dim must be >= 1");
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
