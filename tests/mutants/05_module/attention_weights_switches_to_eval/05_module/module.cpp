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
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        return out_proj_.forward(given::merge_heads(matmul(weights(query, key, v, mask), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        eval();  // before dropout
        return weights(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask);
    }

private:
    /// What forward weighs the values with.
    Tensor weights(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask causal = options_.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
        Tensor w = given::scaled_dot_product_attention(q, k, v, mask | causal).weights;
        if (is_training() && options_.dropout > 0.0F) {
            Tensor factors = Tensor::full(w.shape(), 1.0F / (1.0F - options_.dropout));
            for (Index i = 0; i < factors.numel(); ++i)
                if (random_.uniform() < options_.dropout) factors.data()[i] = 0.0F;
            w *= factors;
        }
        return w;
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim or num_heads < 1");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim < 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    const Index E = options.head_dim ? options.num_heads * *options.head_dim : options.embed_dim;
    return std::make_unique<MultiHeadAttention>(options, E, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
