#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

/// A single head, as in exercise 01, with a mask (T, S).
Tensor weights_of_one_head(const Tensor& q, const Tensor& k, const Mask& blocked) {
    const Tensor scores = matmul(q, k.transpose(0, 1)) / std::sqrt(static_cast<float>(q.size(1)));
    Tensor weights = Tensor::zeros(scores.shape());
    for (Index t = 0; t < scores.size(0); ++t) {
        std::vector<Index> visible;
        for (Index s = 0; s < scores.size(1); ++s)
            if (!blocked(t, s)) visible.push_back(s);
        float top = -INFINITY, total = 0.0F;
        for (const Index s : visible) top = std::fmax(top, scores(t, s));
        for (const Index s : visible) total += std::exp(scores(t, s) - top);
        for (const Index s : visible) weights(t, s) = std::exp(scores(t, s) - top) / total;
    }
    return weights;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          d_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          out_proj_(options.num_heads * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key);
        const Mask blocked = complete(mask, query.size(0), query.size(1), key.size(1));
        Tensor all = Tensor::empty({query.size(0), options_.num_heads, query.size(1), key.size(1)});
        for (Index b = 0; b < q.size(0); ++b) {
            const Mask of_sequence = plane(blocked, b);
            for (Index h = 0; h < options_.num_heads; ++h)
                all[b][h].copy_from(weights_of_one_head(columns(q[b], h), columns(k[b], h), of_sequence));
        }
        return all;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(key, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("keys and values must be equally many");
        Tensor weights = attention_weights(query, key, mask);
        for (Index i = 0; i < weights.numel() && is_training() && options_.dropout > 0.0F; ++i)
            weights.data()[i] =
                random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        const Tensor v = v_proj_.forward(value);
        Tensor merged = Tensor::empty({query.size(0), query.size(1), options_.num_heads * d_});
        for (Index b = 0; b < v.size(0); ++b)
            for (Index h = 0; h < options_.num_heads; ++h)
                columns(merged[b], h).copy_from(matmul(weights[b][h], columns(v[b], h)));
        return out_proj_.forward(merged);
    }

private:
    static void check(const Tensor& a, const Tensor& b) {
        if (a.rank() != 3 || b.rank() != 3 || a.size(0) != b.size(0)) throw std::invalid_argument("shapes do not fit");
    }

    Tensor columns(const Tensor& x, Index h) const { return x.slice(1, h * d_, (h + 1) * d_); }

    Mask complete(const Mask& mask, Index B, Index T, Index S) const {
        const Shape full{B, options_.num_heads, T, S};
        const Mask given_mask = mask.defined() ? mask.expand(full) : Mask::allow_all(full);
        return options_.causal ? given_mask | given::causal_mask(T, S) : given_mask;
    }

    /// The (T, S) plane of one sequence of a (B, H, T, S) mask.
    static Mask plane(const Mask& mask, Index b) {
        const Strides& stride = mask.strides();
        return mask.as_strided({mask.size(2), mask.size(3)}, {stride[2], stride[3]},
                               mask.layout().offset + b * stride[0]);
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim, num_heads must be >= 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("head_dim must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
