// Everything with plain loops: slow, but I can see what happens.
#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

class LoopAttention : public Attention {
public:
    explicit LoopAttention(const AttentionOptions& o)
        : H(o.num_heads),
          d(o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads),
          causal(o.causal),
          p(o.dropout),
          rng(o.seed),
          wq(o.embed_dim, H * d, b(o), rng),
          wk(o.embed_dim, H * d, b(o), rng),
          wv(o.embed_dim, H * d, b(o), rng),
          wo(H * d, o.embed_dim, b(o), rng) {
        register_module("q_proj", wq);
        register_module("k_proj", wk);
        register_module("v_proj", wv);
        register_module("out_proj", wo);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query, key: three axes, please");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        if (key.size(0) != B) throw std::invalid_argument("batch sizes differ");
        const Tensor q = wq.forward(query);
        const Tensor k = wk.forward(key);
        const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
        Tensor w = Tensor::zeros({B, H, T, S});
        for (Index n = 0; n < B; ++n)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    float biggest = -INFINITY;
                    for (Index s = 0; s < S; ++s) {
                        if (blocked(n, h, t, s) || (causal && s > t + S - T)) continue;
                        float dot = 0;
                        for (Index i = 0; i < d; ++i) dot += q(n, t, h * d + i) * k(n, s, h * d + i);
                        w(n, h, t, s) = dot / std::sqrt(static_cast<float>(H));
                        biggest = std::max<float>(biggest, w(n, h, t, s));
                    }
                    float total = 0;
                    for (Index s = 0; s < S; ++s) {
                        if (blocked(n, h, t, s) || (causal && s > t + S - T)) continue;
                        w(n, h, t, s) = std::exp(w(n, h, t, s) - biggest);
                        total += w(n, h, t, s);
                    }
                    if (total > 0)
                        for (Index s = 0; s < S; ++s) w(n, h, t, s) /= total;
                }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor w = attention_weights(query, key, mask);
        const Index B = w.size(0), T = w.size(2), S = w.size(3);
        if (value.rank() != 3 || value.size(0) != B || value.size(1) != S)
            throw std::invalid_argument("value must be as long as key");
        const Tensor v = wv.forward(value);
        Tensor together = Tensor::zeros({B, T, H * d});
        for (Index n = 0; n < B; ++n)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s) {
                        float weight = w(n, h, t, s);
                        if (p > 0 && is_training()) weight = rng.uniform() < p ? 0 : weight / (1 - p);
                        for (Index i = 0; i < d; ++i) together(n, t, h * d + i) += weight * v(n, s, h * d + i);
                    }
        return wo.forward(together);
    }

private:
    static nn::Bias b(const AttentionOptions& o) { return o.bias ? nn::Bias::yes : nn::Bias::no; }

    Index H, d;
    bool causal;
    float p;
    Random rng;
    nn::Linear wq, wk, wv, wo;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim < 1");
    if (o.num_heads < 1) throw std::invalid_argument("num_heads < 1");
    if (!(o.dropout >= 0 && o.dropout < 1)) throw std::invalid_argument("dropout not in [0, 1)");
    if (o.head_dim && *o.head_dim < 1) throw std::invalid_argument("head_dim < 1");
    if (!o.head_dim && o.embed_dim % o.num_heads) throw std::invalid_argument("embed_dim % num_heads");
    return std::make_unique<LoopAttention>(o);
}

}  // namespace headway::ex05
