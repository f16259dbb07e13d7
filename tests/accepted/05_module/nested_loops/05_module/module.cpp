#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention final : public Attention {
public:
    MultiHeadAttention(Index D, Index heads, Index head_dim, nn::Bias bias, bool is_causal, float dropout,
                       std::uint64_t seed)
        : H(heads),
          d(head_dim),
          causal(is_causal),
          p(dropout),
          init(seed),
          draws(seed + 1),
          q_proj(D, H * d, bias, init),
          k_proj(D, H * d, bias, init),
          v_proj(D, H * d, bias, init),
          out_proj(H * d, D, bias, init) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        const Tensor q = q_proj.forward(query), k = k_proj.forward(key);
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Shape shape = {B, H, T, S};
        const Mask m = mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
        Tensor w = Tensor::zeros(shape);
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    const auto visible = [&](Index s) { return !m(b, h, t, s) && !(causal && s > t + (S - T)); };
                    float top = -INFINITY, total = 0;
                    for (Index s = 0; s < S; ++s) {
                        if (!visible(s)) continue;
                        for (Index i = 0; i < d; ++i) w(b, h, t, s) += q(b, t, h * d + i) * k(b, s, h * d + i);
                        w(b, h, t, s) /= std::sqrt(static_cast<float>(d));
                        top = std::fmax(top, w(b, h, t, s));
                    }
                    for (Index s = 0; s < S; ++s)
                        if (visible(s)) total += w(b, h, t, s) = std::exp(w(b, h, t, s) - top);
                    for (Index s = 0; s < S; ++s)
                        if (visible(s)) w(b, h, t, s) /= total;
                }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(query, key);
        if (value.shape() != key.shape()) throw std::invalid_argument("value must have the shape of key");
        const Tensor w = attention_weights(query, key, mask);
        const Tensor v = v_proj.forward(value);
        Tensor merged = Tensor::zeros({query.size(0), query.size(1), H * d});
        for (Index b = 0; b < merged.size(0); ++b)
            for (Index t = 0; t < merged.size(1); ++t)
                for (Index s = 0; s < v.size(1); ++s)
                    for (Index h = 0; h < H; ++h) {
                        float weight = w(b, h, t, s);
                        if (is_training() && p > 0) weight = draws.uniform() < p ? 0 : weight / (1 - p);
                        for (Index i = h * d; i < h * d + d; ++i) merged(b, t, i) += weight * v(b, s, i);
                    }
        return out_proj.forward(merged);
    }

private:
    static void check(const Tensor& query, const Tensor& key) {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key must be (B, T, D)");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("query and key must agree in B");
    }

    Index H, d;
    bool causal;
    float p;
    Random init, draws;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("sizes must be positive");
    if (!(o.dropout >= 0.0F) || !(o.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (!o.head_dim && o.embed_dim % o.num_heads) throw std::invalid_argument("num_heads must divide embed_dim");
    if (o.head_dim && *o.head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    return std::make_unique<MultiHeadAttention>(o.embed_dim, o.num_heads,
                                                o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads,
                                                o.bias ? nn::Bias::yes : nn::Bias::no, o.causal, o.dropout, o.seed);
}

}  // namespace headway::ex05
