#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

struct Config {
    Index D, H, d;
    bool bias, causal;
    float dropout;
    std::uint64_t seed;
};

class Loops : public Attention {
public:
    explicit Loops(const Config& config)
        : c(config),
          random(c.seed),
          q_proj(c.D, c.H * c.d, with(c.bias), random),
          k_proj(c.D, c.H * c.d, with(c.bias), random),
          v_proj(c.D, c.H * c.d, with(c.bias), random),
          out_proj(c.H * c.d, c.D, with(c.bias), random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Mask all = blocked(mask, B, T, S);
        const Tensor q = q_proj.forward(query), k = k_proj.forward(key);
        Tensor weights = Tensor::zeros({B, c.H, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < c.H; ++h)
                for (Index t = 0; t < T; ++t) {
                    float top = -INFINITY;
                    for (Index s = 0; s < T; ++s) {
                        float score = 0.0F;
                        for (Index i = h * c.d; i < h * c.d + c.d; ++i) score += q(b, t, i) * k(b, s, i);
                        weights(b, h, t, s) = score / std::sqrt(static_cast<float>(c.d));
                        if (!all(b, h, t, s)) top = std::fmax(top, weights(b, h, t, s));
                    }
                    float total = 0.0F;
                    for (Index s = 0; s < T; ++s) {
                        float& w = weights(b, h, t, s);
                        w = all(b, h, t, s) ? 0.0F : std::exp(w - top);
                        total += w;
                    }
                    for (Index s = 0; s < T && total > 0.0F; ++s) weights(b, h, t, s) /= total;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(query, key);
        check(key, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("key and value need the same length");
        const Tensor v = v_proj.forward(value);
        const Tensor weights = attention_weights(query, key, mask);
        const Index B = query.size(0), T = query.size(1);
        Tensor merged = Tensor::zeros({B, T, c.H * c.d});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < c.H; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < T; ++s) {
                        float w = weights(b, h, t, s);
                        if (is_training() && c.dropout > 0.0F)
                            w = random.uniform() < c.dropout ? 0.0F : w / (1.0F - c.dropout);
                        for (Index i = h * c.d; i < h * c.d + c.d; ++i) merged(b, t, i) += w * v(b, s, i);
                    }
        return out_proj.forward(merged);
    }

private:
    static nn::Bias with(bool bias) { return bias ? nn::Bias::yes : nn::Bias::no; }

    static void check(const Tensor& one, const Tensor& other) {
        if (one.rank() != 3 || other.rank() != 3) throw std::invalid_argument("need (B, length, D)");
        if (one.size(0) != other.size(0)) throw std::invalid_argument("need the same batch size");
    }

    Mask blocked(const Mask& mask, Index B, Index T, Index S) const {
        Mask all = mask.defined() ? mask.expand({B, c.H, T, S}).clone() : Mask::allow_all({B, c.H, T, S});
        if (c.causal) all = all | given::causal_mask(T, S);
        return all;
    }

    Config c;
    Random random;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (o.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("embed_dim % num_heads");
    const Index d = o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads;
    if (d < 1) throw std::invalid_argument("head_dim");
    return std::make_unique<Loops>(Config{o.embed_dim, o.num_heads, d, o.bias, o.causal, o.dropout, o.seed});
}

}  // namespace headway::ex05
