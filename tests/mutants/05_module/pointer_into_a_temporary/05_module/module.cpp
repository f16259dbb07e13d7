#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

class FlatAttention : public Attention {
public:
    FlatAttention(const AttentionOptions& options, Index head_dim)
        : H_(options.num_heads),
          d_(head_dim),
          E_(H_ * d_),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E_, bias_, random_),
          k_proj_(options.embed_dim, E_, bias_, random_),
          v_proj_(options.embed_dim, E_, bias_, random_),
          out_proj_(E_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query and key must be (B, T, D) and (B, S, D)");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Mask blocked = mask.defined() ? mask.expand({B, H_, T, S}) : Mask::allow_all({B, H_, T, S});
        const float* q = q_proj_.forward(query).data();
        const float* k = k_proj_.forward(key).data();
        Tensor weights = Tensor::zeros({B, H_, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H_; ++h)
                for (Index t = 0; t < T; ++t) {
                    float* w = &weights(b, h, t, 0);
                    const Index visible = causal_ ? t + 1 + S - T : S;
                    float top = -INFINITY, total = 0.0F;
                    for (Index s = 0; s < visible; ++s) {
                        for (Index i = 0; i < d_; ++i)
                            w[s] += q[(b * T + t) * E_ + h * d_ + i] * k[(b * S + s) * E_ + h * d_ + i];
                        w[s] /= std::sqrt(static_cast<float>(d_));
                        if (!blocked(b, h, t, s)) top = std::fmax(top, w[s]);
                    }
                    for (Index s = 0; s < visible; ++s)
                        total += w[s] = blocked(b, h, t, s) ? 0.0F : std::exp(w[s] - top);
                    for (Index s = 0; s < visible && total > 0.0F; ++s) w[s] /= total;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        if (value.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("value must be (B, S, D)");
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < p_ ? 0.0F : weights.data()[i] / (1.0F - p_);
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    Index H_, d_, E_;
    bool causal_;
    float p_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("head_dim");
    return std::make_unique<FlatAttention>(options, d);
}

}  // namespace headway::ex05
