#include <headway/eigen.hpp>

#include "module.hpp"

#include <cmath>
#include <stdexcept>

// Matrix work is left to Eigen: each head of each sequence is a block of the projected matrix.
namespace headway::ex05 {
namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

class EigenAttention : public Attention {
public:
    EigenAttention(const AttentionOptions& options, Index head_dim, nn::Bias bias)
        : embed_dim_(options.embed_dim),
          num_heads_(options.num_heads),
          head_dim_(head_dim),
          causal_(options.causal),
          dropout_(options.dropout),
          random_(options.seed),
          q_proj_(embed_dim_, num_heads_ * head_dim_, bias, random_),
          k_proj_(embed_dim_, num_heads_ * head_dim_, bias, random_),
          v_proj_(embed_dim_, num_heads_ * head_dim_, bias, random_),
          out_proj_(num_heads_ * head_dim_, embed_dim_, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        require(query.rank() == 3 && key.rank() == 3 && query.size(0) == key.size(0), "query (B, T, D), key (B, S, D)");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key);
        Mask all = causal_ ? mask | given::causal_mask(T, S) : mask;
        all = all.defined() ? all.expand({B, num_heads_, T, S}) : Mask::allow_all({B, num_heads_, T, S});
        Tensor weights = Tensor::empty({B, num_heads_, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < num_heads_; ++h) {
                EigenMap w = as_eigen(weights[b][h]);
                w.noalias() = head(q, b, h) * head(k, b, h).transpose();
                w /= std::sqrt(static_cast<float>(embed_dim_) / static_cast<float>(num_heads_));
                for (Index t = 0; t < T; ++t) {
                    for (Index s = 0; s < S; ++s)
                        if (all(b, h, t, s)) w(t, s) = -INFINITY;
                    const float top = w.row(t).maxCoeff();
                    if (top == -INFINITY) {
                        w.row(t).setZero();
                        continue;
                    }
                    w.row(t) = (w.row(t).array() - top).exp().matrix();
                    w.row(t) /= w.row(t).sum();
                }
            }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        require(value.rank() == 3 && value.size(0) == key.size(0) && value.size(1) == key.size(1), "value (B, S, D)");
        if (is_training() && dropout_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < dropout_ ? 0.0F : 1.0F / (1.0F - dropout_);
        const Tensor v = v_proj_.forward(value);
        Tensor merged = Tensor::empty({query.size(0), query.size(1), num_heads_ * head_dim_});
        for (Index b = 0; b < query.size(0); ++b)
            for (Index h = 0; h < num_heads_; ++h) head(merged, b, h) = as_eigen(weights[b][h]) * head(v, b, h);
        return out_proj_.forward(merged);
    }

private:
    /// x (B, L, H·d) -> the (L, d) block of one head.
    EigenMap head(const Tensor& x, Index b, Index h) const {
        return as_eigen(x[b].slice(1, h * head_dim_, (h + 1) * head_dim_));
    }

    Index embed_dim_, num_heads_, head_dim_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    require(options.embed_dim >= 1, "embed_dim must be at least 1");
    require(options.num_heads >= 1, "num_heads must be at least 1");
    require(options.dropout >= 0.0F && options.dropout < 1.0F, "dropout must lie in [0, 1)");
    require(!options.head_dim || *options.head_dim >= 1, "head_dim must be at least 1");
    require(options.head_dim || options.embed_dim % options.num_heads == 0, "num_heads must divide embed_dim");
    return std::make_unique<EigenAttention>(options, options.head_dim.value_or(options.embed_dim / options.num_heads),
                                            options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
