#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

/// y = x · Wᵀ + b in three loops, for x (B, L, in).
Tensor project(const Tensor& x, const nn::Linear& linear) {
    const Index in = linear.weight.size(1), out = linear.weight.size(0);
    if (x.rank() != 3 || x.size(2) != in) throw std::invalid_argument("project: x is " + to_string(x.shape()));
    Tensor y = Tensor::zeros({x.size(0), x.size(1), out});
    const Index rows = x.size(0) * x.size(1);
    for (Index r = 0; r < rows; ++r)
        for (Index o = 0; o < out; ++o) {
            float total = linear.bias.defined() ? linear.bias(o) : 0.0F;
            for (Index i = 0; i < in; ++i) total += x.data()[r * in + i] * linear.weight(o, i);
            y.data()[r * out + o] = total;
        }
    return y;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E)
        : options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, random_),
          k_proj_(options.embed_dim, E, bias_, random_),
          v_proj_(options.embed_dim, E, bias_, random_),
          out_proj_(E, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(project(value, v_proj_), options_.num_heads);
        Tensor weights = attend(query, key, v, mask).weights;
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        return project(given::merge_heads(matmul(weights, v)), out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(project(key, v_proj_), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = given::split_heads(project(query, q_proj_), options_.num_heads);
        const Tensor k = given::split_heads(project(key, k_proj_), options_.num_heads);
        if (options_.causal) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim and num_heads >= 1 please");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim >= 1 please");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("num_heads | embed_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("0 <= dropout < 1 please");
    return std::make_unique<MultiHeadAttention>(
        options, options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim);
}

}  // namespace headway::ex05
