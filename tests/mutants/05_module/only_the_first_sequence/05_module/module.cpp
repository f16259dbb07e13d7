#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

/// Masked softmax of one head's scores (T, S), in place.
void masked_softmax(Tensor scores, const Mask& mask) {
    for (Index t = 0; t < scores.size(0); ++t) {
        float largest = -INFINITY, total = 0.0F;
        for (Index s = 0; s < scores.size(1); ++s)
            if (!mask(t, s) && scores(t, s) > largest) largest = scores(t, s);
        for (Index s = 0; s < scores.size(1); ++s)
            total += scores(t, s) = mask(t, s) ? 0.0F : std::exp(scores(t, s) - largest);
        for (Index s = 0; s < scores.size(1) && total > 0.0F; ++s) scores(t, s) /= total;
    }
}

Mask plane(const Mask& mask, Index b, Index h) {
    return mask.as_strided({mask.size(2), mask.size(3)}, {mask.strides()[2], mask.strides()[3]},
                           mask.layout().offset + b * mask.strides()[0] + h * mask.strides()[1]);
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index d)
        : H_(options.num_heads),
          d_(d),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, H_ * d_, bias_, random_),
          k_proj_(options.embed_dim, H_ * d_, bias_, random_),
          v_proj_(options.embed_dim, H_ * d_, bias_, random_),
          out_proj_(H_ * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("attention_weights: wrong shapes");
        const Index T = query.size(1), S = key.size(1);
        const Tensor q = q_proj_.forward(query)[0], k = k_proj_.forward(key)[0];  // (T, E), (S, E)
        Mask blocked = mask.defined() ? mask.expand({query.size(0), H_, T, S}) : Mask::allow_all({1, H_, T, S});
        if (causal_) blocked = blocked | given::causal_mask(T, S);
        Tensor weights = Tensor::empty({1, H_, T, S});
        for (Index h = 0; h < H_; ++h) {
            const Tensor scores =
                matmul(columns(q, h), columns(k, h).transpose(0, 1)) / std::sqrt(static_cast<float>(d_));
            weights[0][h].copy_from(scores);
            masked_softmax(weights[0][h], plane(blocked, 0, h));
        }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || value.shape() != key.shape()) throw std::invalid_argument("forward: wrong shapes");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < p_ ? 0.0F : weights.data()[i] / (1.0F - p_);
        const Tensor v = v_proj_.forward(value)[0];
        std::vector<Tensor> contexts;
        for (Index h = 0; h < H_; ++h) contexts.push_back(matmul(weights[0][h], columns(v, h)));
        const Tensor merged = cat(contexts, 1);  // (T, E)
        return out_proj_.forward(merged.view({1, merged.size(0), merged.size(1)}));
    }

private:
    Tensor columns(const Tensor& x, Index h) const { return x.slice(1, h * d_, (h + 1) * d_); }

    Index H_, d_;
    bool causal_;
    float p_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("options: sizes");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("options: head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("options: dropout");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
