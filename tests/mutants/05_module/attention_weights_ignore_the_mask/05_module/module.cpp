#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, nn::Bias bias)
        : options_(options),
          random_(options.seed),
          q_proj_(options.embed_dim, E, bias, random_),
          k_proj_(options.embed_dim, E, bias, random_),
          v_proj_(options.embed_dim, E, bias, random_),
          out_proj_(E, options.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor q = heads(q_proj_, query), k = heads(k_proj_, key), v = heads(v_proj_, value);
        given::Attended attended = given::scaled_dot_product_attention(q, k, v, causal(q, k) | mask);
        if (is_training() && options_.dropout > 0.0F) {
            drop(attended.weights);
            attended.context = matmul(attended.weights, v);
        }
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = heads(q_proj_, query), k = heads(k_proj_, key);
        if (mask.defined()) check(mask, {q.size(0), q.size(1), q.size(2), k.size(2)});
        return given::scaled_dot_product_attention(q, k, k, causal(q, k)).weights;
    }

private:
    static void check(const Mask& mask, const Shape& shape) { (void)mask.expand(shape); }

    Tensor heads(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    Mask causal(const Tensor& q, const Tensor& k) const {
        return options_.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
    }

    void drop(Tensor& weights) {
        for (Index i = 0; i < weights.numel(); ++i)
            weights.data()[i] =
                random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim, num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    const Index E = options.head_dim.value_or(options.embed_dim / options.num_heads) * options.num_heads;
    return std::make_unique<MultiHeadAttention>(options, E, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
