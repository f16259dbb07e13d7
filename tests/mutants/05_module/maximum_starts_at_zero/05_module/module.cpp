#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : H(options.num_heads),
          d(head_dim),
          causal(options.causal),
          p(options.dropout),
          random(options.seed),
          bias(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj(options.embed_dim, H * d, bias, random),
          k_proj(options.embed_dim, H * d, bias, random),
          v_proj(options.embed_dim, H * d, bias, random),
          out_proj(H * d, options.embed_dim, bias, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj.forward(query), H), k = given::split_heads(k_proj.forward(key), H);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("B differs between query and key");
        const Index B = q.size(0), T = q.size(2), S = k.size(2);
        const Mask given_mask = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
        Tensor weights = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d));
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    const auto hidden = [&](Index s) {
                        return (causal && s > t + (S - T)) || (given_mask.defined() && given_mask(b, h, t, s));
                    };
                    float row_max = 0.0F;
                    float row_sum = 0.0F;
                    for (Index s = 0; s < S; ++s)
                        if (!hidden(s)) row_max = std::max<float>(row_max, weights(b, h, t, s));
                    for (Index s = 0; s < S; ++s) {
                        weights(b, h, t, s) = hidden(s) ? 0.0F : std::exp(weights(b, h, t, s) - row_max);
                        row_sum += weights(b, h, t, s);
                    }
                    if (row_sum == 0.0F) continue;  // every key is hidden
                    for (Index s = 0; s < S; ++s) weights(b, h, t, s) /= row_sum;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj.forward(value), H);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("B or S differs between key and value");
        if (is_training() && p > 0.0F)
            std::for_each(weights.data(), weights.data() + weights.numel(),
                          [this](float& w) { w = random.uniform() < p ? 0.0F : w / (1.0F - p); });
        return out_proj.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    Index H, d;
    bool causal;
    float p;
    Random random;
    nn::Bias bias;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("D >= 1 and H >= 1 are needed");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("H | D is needed");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("d >= 1 is needed");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("0 <= p < 1 is needed");
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
