#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E)
        : num_heads_(options.num_heads),
          is_causal_(options.causal),
          attn_dropout_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, random_),
          k_proj_(options.embed_dim, E, bias_, random_),
          v_proj_(options.embed_dim, E, bias_, random_),
          output_proj_(E, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", output_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), num_heads_);
        const Tensor attention = attend(query, key, v, mask).weights;
        return output_proj_.forward(given::merge_heads(matmul(dropout(attention, attn_dropout_), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_.forward(key), num_heads_), mask).weights;
    }

private:
    Tensor dropout(const Tensor& x, float p) {
        if (p == 0.0F) return x;
        Tensor out = Tensor::empty(x.shape());
        for (Index i = 0; i < x.numel(); ++i) out.data()[i] = random_.uniform() < p ? 0.0F : x.data()[i] / (1.0F - p);
        return out;
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), num_heads_);
        const Tensor k = given::split_heads(k_proj_.forward(key), num_heads_);
        const Mask causal = is_causal_ ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
        return given::scaled_dot_product_attention(q, k, v, mask | causal);
    }

    Index num_heads_;
    bool is_causal_;
    float attn_dropout_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, output_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.num_heads < 1 || options.embed_dim < 1)
        throw std::invalid_argument("embed_dim, num_heads must be positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F))
        throw std::invalid_argument("attn_dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(
        options, options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim);
}

}  // namespace headway::ex05
