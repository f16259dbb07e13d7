#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {

// One head at a time: cut its columns out of q, k and v, run single-head attention as in exercise 01, glue together.
class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : H_(options.num_heads),
          d_(options.head_dim.value_or(options.embed_dim / options.num_heads)),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, H_ * d_, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          k_proj_(options.embed_dim, H_ * d_, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          v_proj_(options.embed_dim, H_ * d_, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          out_proj_(H_ * d_, options.embed_dim, options.bias ? nn::Bias::yes : nn::Bias::no, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("attention: rank 3 is needed");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("attention: different batch sizes");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        const Tensor q = q_proj_.forward(query);
        const Tensor k = q_proj_.forward(key);
        Tensor weights = Tensor::zeros({B, H_, T, S});
        for (Index h = 0; h < H_; ++h) {
            const Tensor q_h = q.slice(2, h * d_, (h + 1) * d_);
            const Tensor k_h = k.slice(2, h * d_, (h + 1) * d_);
            weights.select(1, h).copy_from(matmul(q_h, k_h.transpose(1, 2)) / std::sqrt(static_cast<float>(d_)));
        }
        const Mask blocked = causal_ ? mask | given::causal_mask(T, S) : mask;
        weights =
            exp(masked_fill(weights, blocked, -1e9F) - max(masked_fill(weights, blocked, -1e9F), -1, KeepAxis::yes));
        weights = masked_fill(weights, blocked, 0.0F);
        const Tensor total = sum(weights, -1, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] <= 0.0F) const_cast<float*>(total.data())[i] = 1.0F;
        return weights / total;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor weights = dropped(attention_weights(query, key, mask));
        if (value.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("attention: value does not fit key");
        const Tensor v = v_proj_.forward(value);
        std::vector<Tensor> heads;
        for (Index h = 0; h < H_; ++h) heads.push_back(matmul(weights.select(1, h), v.slice(2, h * d_, (h + 1) * d_)));
        return out_proj_.forward(cat(heads, 2));
    }

private:
    Tensor dropped(Tensor weights) {
        if (!is_training() || p_ == 0.0F) return weights;
        weights = weights.contiguous();
        for (Index i = 0; i < weights.numel(); ++i)
            weights.data()[i] *= random_.uniform() < p_ ? 0.0F : 1.0F / (1.0F - p_);
        return weights;
    }

    Index H_, d_;
    bool causal_;
    float p_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.num_heads < 1 || options.embed_dim < 1)
        throw std::invalid_argument("num_heads and embed_dim must be at least 1");
    if (!options.head_dim.has_value() && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    if (options.head_dim.has_value() && options.head_dim.value() < 1)
        throw std::invalid_argument("head_dim must be at least 1");
    if (!(0.0F <= options.dropout && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options);
}

}  // namespace headway::ex05
