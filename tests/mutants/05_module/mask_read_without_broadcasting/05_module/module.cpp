#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class RawAttention : public Attention {
public:
    RawAttention(const AttentionOptions& o, Index head_dim)
        : heads(o.num_heads),
          d(head_dim),
          causal(o.causal),
          p(o.dropout),
          random(o.seed),
          q_proj(o.embed_dim, heads * d, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          k_proj(o.embed_dim, heads * d, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          v_proj(o.embed_dim, heads * d, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj(heads * d, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        require(query.rank() == 3 && key.rank() == 3, "three axes");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        require(key.size(0) == B, "one batch size");
        if (mask.defined()) mask.expand({B, heads, T, S});  // refuses a mask that does not fit
        const Tensor q = q_proj.forward(query), k = k_proj.forward(key);
        Tensor w = Tensor::zeros({B, heads, T, S});
        for (Index row = 0; row < B * heads * T; ++row) {
            const Index t = row % T, h = row / T % heads, b = row / T / heads;
            const float* q_row = q.data() + (b * T + t) * heads * d + h * d;
            float* w_row = w.data() + row * S;
            float top = -INFINITY, total = 0.0F;
            for (Index s = 0; s < S; ++s) {
                const float* k_row = k.data() + (b * S + s) * heads * d + h * d;
                float dot = 0.0F;
                for (Index i = 0; i < d; ++i) dot += q_row[i] * k_row[i];
                const bool blocked = (mask.defined() && mask.data()[row * S + s]) || (causal && s > t + S - T);
                w_row[s] = blocked ? -INFINITY : dot / std::sqrt(static_cast<float>(d));
                top = w_row[s] > top ? w_row[s] : top;
            }
            for (Index s = 0; s < S; ++s) {
                w_row[s] = w_row[s] == -INFINITY ? 0.0F : std::exp(w_row[s] - top);
                total += w_row[s];
            }
            for (Index s = 0; s < S && total > 0.0F; ++s) w_row[s] /= total;
        }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor w = attention_weights(query, key, mask);
        const Index B = w.size(0), T = w.size(2), S = w.size(3);
        require(value.rank() == 3 && value.size(0) == B && value.size(1) == S, "a value for each key");
        if (is_training() && p > 0.0F)
            for (Index i = 0; i < w.numel(); ++i) w.data()[i] *= random.uniform() < p ? 0.0F : 1.0F / (1.0F - p);
        const Tensor v = v_proj.forward(value);
        Tensor merged = Tensor::zeros({B, T, heads * d});
        for (Index row = 0; row < B * heads * T; ++row) {
            const Index t = row % T, h = row / T % heads, b = row / T / heads;
            float* out = merged.data() + (b * T + t) * heads * d + h * d;
            for (Index s = 0; s < S; ++s)
                for (Index i = 0; i < d; ++i)
                    out[i] += w.data()[row * S + s] * v.data()[(b * S + s) * heads * d + h * d + i];
        }
        return out_proj.forward(merged);
    }

private:
    static void require(bool fits, const char* what) {
        if (!fits) throw std::invalid_argument(std::string("needed: ") + what);
    }

    Index heads, d;
    bool causal;
    float p;
    Random random;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("needed: embed_dim, num_heads >= 1");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("needed: 0 <= dropout < 1");
    if (o.head_dim) {
        if (*o.head_dim < 1) throw std::invalid_argument("needed: head_dim >= 1");
        return std::make_unique<RawAttention>(o, *o.head_dim);
    }
    if (o.embed_dim % o.num_heads != 0) throw std::invalid_argument("needed: embed_dim % num_heads == 0");
    return std::make_unique<RawAttention>(o, o.embed_dim / o.num_heads);
}

}  // namespace headway::ex05
