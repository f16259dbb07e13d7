#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index dim_per_head)
        : options_(options),
          scale_(std::pow(static_cast<float>(dim_per_head), -0.5F)),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_(options.embed_dim, options.num_heads * dim_per_head, bias_, random_),
          k_(options.embed_dim, options.num_heads * dim_per_head, bias_, random_),
          v_(options.embed_dim, options.num_heads * dim_per_head, bias_, random_),
          projection_(options.num_heads * dim_per_head, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", projection_);
    }

    Tensor forward(const Tensor& inputs_q, const Tensor& inputs_k, const Tensor& inputs_v, const Mask& mask) override {
        Tensor attention = attention_weights(inputs_q, inputs_k, mask);
        const Tensor v = transform(v_, inputs_v);
        if (attention.size(0) != v.size(0) || attention.size(3) != v.size(2))
            throw std::invalid_argument("inputs_k and inputs_v do not match");
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < attention.numel(); ++i)
                attention.data()[i] *= random_.uniform() >= options_.dropout ? 1.0F / (1.0F - options_.dropout) : 0.0F;
        return projection_.forward(given::merge_heads(matmul(attention, v)));
    }

    Tensor attention_weights(const Tensor& inputs_q, const Tensor& inputs_k, const Mask& mask) override {
        const Tensor q = transform(q_, inputs_q), k = transform(k_, inputs_k);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("inputs_q and inputs_k do not match");
        Tensor attention = matmul(q, k.transpose(2, 3)) / scale_;
        attention = masked_fill(attention, mask, -INFINITY);
        if (options_.causal) attention = masked_fill(attention, given::causal_mask(q.size(2), k.size(2)), -INFINITY);
        Tensor result = Tensor::zeros(attention.shape());
        const Index S = attention.size(3);
        for (Index start = 0; start < attention.numel(); start += S) {
            float top = -INFINITY, total = 0.0F;
            for (Index s = start; s < start + S; ++s) top = std::fmax(top, attention.data()[s]);
            if (top == -INFINITY) continue;
            for (Index s = start; s < start + S; ++s) total += result.data()[s] = std::exp(attention.data()[s] - top);
            for (Index s = start; s < start + S; ++s) result.data()[s] /= total;
        }
        return result;
    }

private:
    Tensor transform(const nn::Linear& linear, const Tensor& x) const {
        return given::split_heads(linear.forward(x), options_.num_heads);
    }

    AttentionOptions options_;
    float scale_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_, k_, v_, projection_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("hidden_dim and num_heads must be > 0");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("dim_per_head must be > 0; num_heads must divide hidden_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
