#include "module.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <cmath>

namespace headway::ex05 {
namespace {

class EigenAttention : public Attention {
public:
    EigenAttention(const AttentionOptions& options, Index head_dim, Random random)
        : H_(options.num_heads),
          d_(head_dim),
          causal_(options.causal),
          p_(options.dropout),
          q_proj_(options.embed_dim, H_ * d_, bias(options), random),
          k_proj_(options.embed_dim, H_ * d_, bias(options), random),
          v_proj_(options.embed_dim, H_ * d_, bias(options), random),
          out_proj_(H_ * d_, options.embed_dim, bias(options), random),
          random_(random.next()) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        if (value.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("value must be (B, S, D), as key is");
        const Tensor v = v_proj_.forward(value);
        Tensor merged = Tensor::empty({query.size(0), query.size(1), H_ * d_});
        for (Index b = 0; b < merged.size(0); ++b)
            for (Index h = 0; h < H_; ++h) {
                EigenMap w = as_eigen(weights[b][h]);
                if (is_training() && p_ > 0)
                    w = w.unaryExpr([this](float x) { return random_.uniform() < p_ ? 0.0F : x / (1.0F - p_); }).eval();
                as_eigen(merged[b]).middleCols(h * d_, d_) = w * as_eigen(v[b]).middleCols(h * d_, d_);
            }
        return out_proj_.forward(merged);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query (B, T, D) and key (B, S, D)");
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key);
        const Index B = q.size(0), T = q.size(1), S = k.size(1);
        Tensor weights = Tensor::zeros({B, H_, T, S});
        const Mask blocked = mask.defined() ? mask.expand(weights.shape()) : Mask{};
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H_; ++h) {
                const EigenMatrix scores = as_eigen(q[b]).middleCols(h * d_, d_) *
                                           as_eigen(k[b]).middleCols(h * d_, d_).transpose() /
                                           std::sqrt(static_cast<float>(d_));
                EigenMap out = as_eigen(weights[b][h]);
                for (Index t = 0; t < T; ++t) {
                    const Index n = causal_ ? std::clamp<Index>(t + 1 + S - T, 0, S) : S;
                    if (n == 0) continue;
                    Eigen::ArrayXf row = scores.row(t).head(n).transpose();
                    for (Index s = 0; s < n && blocked.defined(); ++s)
                        if (blocked(b, h, t, s)) row(s) = -INFINITY;
                    if (row.maxCoeff() == -INFINITY) continue;
                    row = (row - row.maxCoeff()).exp().eval();
                    out.row(t).head(n) = (row / row.sum()).matrix().transpose();
                }
            }
        return weights;
    }

private:
    static nn::Bias bias(const AttentionOptions& options) { return options.bias ? nn::Bias::yes : nn::Bias::no; }

    Index H_, d_;
    bool causal_;
    float p_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Random random_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto [D, H, head_dim, bias, causal, p, seed] = options;
    if (D < 1 || H < 1) throw std::invalid_argument("embed_dim and num_heads must be at least 1");
    if (!head_dim.has_value() && D % H != 0) throw std::invalid_argument("embed_dim is not divisible by num_heads");
    if (head_dim.has_value() && head_dim.value() <= 0) throw std::invalid_argument("head_dim must be at least 1");
    if (std::isnan(p) || p < 0 || p >= 1) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<EigenAttention>(options, head_dim.value_or(D / H), Random(seed));
}

}  // namespace headway::ex05
