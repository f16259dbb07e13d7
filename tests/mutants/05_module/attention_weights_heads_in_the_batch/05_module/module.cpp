#include "module.hpp"

#include <cmath>
#include <stdexcept>

// Heads are folded into the batch, as in the older torch: everything is a batch of B·H matrices.
namespace headway::ex05 {
namespace {

class FoldedAttention : public Attention {
public:
    FoldedAttention(const AttentionOptions& options, Index head_dim)
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

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = fold(q_proj_.forward(query)), k = fold(k_proj_.forward(key));
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key: not the same batch");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        Mask blocked = causal_ ? given::causal_mask(T, S) | mask : mask;
        if (!blocked.defined()) blocked = Mask::allow_all({T, S});
        const Mask rows = blocked.expand({B, H_, T, S});
        Tensor w = matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<float>(d_));
        for (Index n = 0; n < B * H_; ++n)
            for (Index t = 0; t < T; ++t) {
                float top = -INFINITY, total = 0.0F;
                for (Index s = 0; s < S; ++s)
                    if (!rows(n / H_, n % H_, t, s)) top = std::fmax(top, w(n, t, s));
                for (Index s = 0; s < S; ++s) {
                    w(n, t, s) = rows(n / H_, n % H_, t, s) ? 0.0F : std::exp(w(n, t, s) - top);
                    total += w(n, t, s);
                }
                if (total > 0.0F) w[n][t] /= total;
            }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor w = attention_weights(query, key, mask);
        const Tensor v = fold(v_proj_.forward(value));
        if (v.size(0) != w.size(0) || v.size(1) != w.size(2))
            throw std::invalid_argument("key and value: not the same size");
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < w.numel(); ++i)
                w.data()[i] = random_.uniform() < p_ ? 0.0F : w.data()[i] / (1.0F - p_);
        const Tensor context = matmul(w, v);  // (B·H, T, d)
        return out_proj_.forward(given::merge_heads(context.view({query.size(0), H_, query.size(1), d_})));
    }

private:
    /// (B, L, E) -> (B·H, L, d)
    Tensor fold(const Tensor& x) const {
        const Tensor split = given::split_heads(x, H_).contiguous();
        return split.view({split.size(0) * H_, split.size(2), d_});
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
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: in [0, 1)");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim: at least 1, or num_heads a divisor of embed_dim");
    return std::make_unique<FoldedAttention>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
