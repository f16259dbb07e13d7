#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class LoopAttention : public Attention {
public:
    LoopAttention(const AttentionOptions& options, Index head_dim)
        : D(options.embed_dim),
          H(options.num_heads),
          d(head_dim),
          causal(options.causal),
          keep(1.0F - options.dropout),
          random(options.seed),
          bias(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj(D, H * d, bias, random),
          k_proj(D, H * d, bias, random),
          v_proj(D, H * d, bias, random),
          out_proj(H * d, D, bias, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Mask hidden = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
        const Tensor q = q_proj.forward(query), k = k_proj.forward(key);
        Tensor weights = Tensor::zeros({B, H, T, S});
        for (Index b = 0; b < B; ++b) {
            for (Index h = 0; h < H; ++h) {
                for (Index t = 0; t < T; ++t) {
                    float top = -INFINITY;
                    for (Index s = 0; s < S; ++s) {
                        weights(b, h, t, s) = score(q[b][t], k[b][s], h);
                        if (hidden(b, h, t, s) || (causal && s - t > S - T)) weights(b, h, t, s) = -INFINITY;
                        top = std::fmax(top, weights(b, h, t, s));
                    }
                    float total = 0.0F;
                    for (Index s = 0; s < S; ++s) {
                        weights(b, h, t, s) = top == -INFINITY ? 0.0F : std::exp(weights(b, h, t, s) - top);
                        total += weights(b, h, t, s);
                    }
                    for (Index s = 0; s < S; ++s) weights(b, h, t, s) /= std::fmax(total, 1e-30F);
                }
            }
        }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(key, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("key and value: lengths differ");
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor v = v_proj.forward(value);
        Tensor merged = Tensor::zeros({query.size(0), query.size(1), H * d});
        for (Index b = 0; b < weights.size(0); ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < weights.size(2); ++t)
                    for (Index s = 0; s < weights.size(3); ++s) {
                        float weight = weights(b, h, t, s);
                        if (is_training() && keep < 1.0F) {
                            if (random.uniform() >= keep) continue;
                            weight *= keep;
                        }
                        for (Index i = 0; i < d; ++i) merged(b, t, h * d + i) += weight * v(b, s, h * d + i);
                    }
        return out_proj.forward(merged);
    }

private:
    static void check(const Tensor& a, const Tensor& b) {
        if (a.rank() != 3 || b.rank() != 3) throw std::invalid_argument("rank 3 is needed");
        if (a.size(0) != b.size(0)) throw std::invalid_argument("batch sizes differ");
    }

    float score(const Tensor& q_token, const Tensor& k_token, Index h) const {
        float dot = 0.0F;
        for (Index i = h * d; i < (h + 1) * d; ++i) dot += q_token(i) * k_token(i);
        return dot / std::sqrt(static_cast<float>(d));
    }

    Index D, H, d;
    bool causal;
    float keep;
    Random random;
    nn::Bias bias;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim or num_heads below 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout not in [0, 1)");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim below 1");
    if (options.head_dim) return std::make_unique<LoopAttention>(options, *options.head_dim);
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("embed_dim % num_heads is not 0");
    return std::make_unique<LoopAttention>(options, options.embed_dim / options.num_heads);
}

}  // namespace headway::ex05
