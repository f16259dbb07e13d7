#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

float dot(const float* a, const float* b, Index n) {
    float total = 0.0F;
    for (Index i = 0; i < n; ++i) total += a[i] * b[i];
    return total;
}

/// Rows are contiguous after a projection, so a head of a token is a pointer and a length.
class PointerAttention : public Attention {
public:
    PointerAttention(const AttentionOptions& o, Index head_dim)
        : H(o.num_heads),
          d(head_dim),
          E(H * d),
          causal(o.causal),
          p(o.dropout),
          random(o.seed),
          q_proj(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          k_proj(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          v_proj(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj(E, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query " + to_string(query.shape()) + " and key " + to_string(key.shape()));
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Tensor q = q_proj.forward(query).contiguous(), k = k_proj.forward(key).contiguous();
        Mask extra = mask.defined() ? mask.expand({B, H, T, S}) : mask;
        Tensor weights = Tensor::zeros({B, H, T, S});
        float* w = weights.data();
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t, w += S) {
                    const Index end = causal ? std::clamp<Index>(t + S - T, 0, S) : S;
                    float total = 0.0F, top = -INFINITY;
                    for (Index s = 0; s < end; ++s) {
                        const bool hidden = extra.defined() && extra(b, h, t, s);
                        w[s] = hidden ? -INFINITY
                                      : dot(q.data() + (b * T + t) * E + h * d, k.data() + (b * S + s) * E + h * d, d) /
                                            std::sqrt(static_cast<float>(d));
                        top = std::max(top, w[s]);
                    }
                    for (Index s = 0; s < end; ++s) total += w[s] = top == -INFINITY ? 0.0F : std::exp(w[s] - top);
                    for (Index s = 0; s < end; ++s) w[s] /= total > 0.0F ? total : 1.0F;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Index B = weights.size(0), T = weights.size(2), S = weights.size(3);
        if (value.rank() != 3 || value.size(0) != B || value.size(1) != S)
            throw std::invalid_argument("value " + to_string(value.shape()) + " and key " + to_string(key.shape()));
        const Tensor v = v_proj.forward(value).contiguous();
        Tensor merged = Tensor::zeros({B, T, E});
        const float* w = weights.data();
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s, ++w) {
                        const float weight =
                            is_training() && p > 0.0F ? (random.uniform() < p ? 0.0F : *w / (1.0F - p)) : *w;
                        float* out = merged.data() + (b * T + t) * E + h * d;
                        const float* in = v.data() + (b * S + s) * E + h * d;
                        for (Index i = 0; i < d; ++i) out[i] += weight * in[i];
                    }
        return out_proj.forward(merged);
    }

private:
    Index H, d, E;
    bool causal;
    float p;
    Random random;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads: positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("indivisible");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim: positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: [0, 1)");
    return std::make_unique<PointerAttention>(options,
                                              options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
