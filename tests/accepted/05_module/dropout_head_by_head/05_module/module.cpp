#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(Index D, Index H, Index d, const AttentionOptions& rest)
        : d_(d),
          H_(H),
          options_(rest),
          random_(rest.seed * 31 + 7),
          q_proj_(D, H * d, bias(), random_),
          k_proj_(D, H * d, bias(), random_),
          v_proj_(D, H * d, bias(), random_),
          out_proj_(H * d, D, bias(), random_) {
        add("q_proj", q_proj_);
        add("k_proj", k_proj_);
        add("v_proj", v_proj_);
        add("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Mask blocked = blocked_keys(query, key, mask);
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key);
        std::vector<Tensor> heads;
        for (Index h = 0; h < H_; ++h) {
            const Tensor w = head_weights(q, k, blocked, h);
            heads.push_back(w.view({w.size(0), 1, w.size(1), w.size(2)}));
        }
        return cat(heads, 1);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Mask blocked = blocked_keys(query, key, mask);
        if (value.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("value " + to_string(value.shape()) + " for key " + to_string(key.shape()));
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key), v = v_proj_.forward(value);
        std::vector<Tensor> contexts;
        for (Index h = 0; h < H_; ++h) {
            Tensor w = head_weights(q, k, blocked, h);
            if (is_training() && options_.dropout > 0) w *= keep(w.shape());
            contexts.push_back(matmul(w, columns(v, h)));
        }
        return out_proj_.forward(cat(contexts, 2));
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    void add(const char* name, nn::Linear& linear) {
        register_module(name, linear);
        // Glorot-like; written into the registered storage
        const auto fan = static_cast<float>(linear.weight.size(0) + linear.weight.size(1));
        linear.weight.copy_from(random_.normal(linear.weight.shape()) * std::sqrt(2 / fan));
        if (linear.bias.defined()) linear.bias.fill(0);
    }

    /// (B, H, T, S)
    Mask blocked_keys(const Tensor& query, const Tensor& key, const Mask& mask) const {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query " + to_string(query.shape()) + " and key " + to_string(key.shape()));
        const Shape wide{query.size(0), H_, query.size(1), key.size(1)};
        Mask blocked = (mask.defined() ? mask : Mask::allow_all({1, 1, 1, 1})).expand(wide);
        return options_.causal ? blocked | given::causal_mask(wide[2], wide[3]) : blocked;
    }

    Tensor columns(const Tensor& x, Index h) const { return x.slice(2, h * d_, (h + 1) * d_); }

    /// (B, T, S)
    Tensor head_weights(const Tensor& q, const Tensor& k, const Mask& blocked, Index h) const {
        Tensor w = matmul(columns(q, h), columns(k, h).transpose(1, 2)) / std::sqrt(static_cast<float>(d_));
        for (Index b = 0; b < w.size(0); ++b)
            for (Index t = 0; t < w.size(1); ++t) {
                float top = -INFINITY, total = 0;
                for (Index s = 0; s < w.size(2); ++s)
                    if (!blocked(b, h, t, s)) top = std::fmax(top, w(b, t, s));
                for (Index s = 0; s < w.size(2); ++s) {
                    w(b, t, s) = blocked(b, h, t, s) ? 0 : std::exp(w(b, t, s) - top);
                    total += w(b, t, s);
                }
                if (total > 0) w[b][t] /= total;
            }
        return w;
    }

    /// 0 with probability p, else 1 / (1 - p)
    Tensor keep(const Shape& shape) {
        Tensor factors = Tensor::full(shape, 1 / (1 - options_.dropout));
        for (Index i = 0; i < factors.numel(); ++i)
            if (random_.uniform() < options_.dropout) factors.data()[i] = 0;
        return factors;
    }

    Index d_, H_;
    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto D = options.embed_dim, H = options.num_heads;
    if (D < 1 || H < 1) throw std::invalid_argument("embed_dim and num_heads: at least 1");
    if (!(options.dropout >= 0) || options.dropout >= 1) throw std::invalid_argument("dropout: in [0, 1)");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim: at least 1");
    if (!options.head_dim && D % H) throw std::invalid_argument("embed_dim: divisible by num_heads");
    return std::make_unique<MultiHeadAttention>(D, H, options.head_dim.value_or(D / H), options);
}

}  // namespace headway::ex05
