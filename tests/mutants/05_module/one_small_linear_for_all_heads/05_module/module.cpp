#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index head_dim, nn::Bias bias)
        : heads_(o.num_heads),
          piece_(o.embed_dim / o.num_heads),
          head_dim_(head_dim),
          options_(o),
          random_(o.seed),
          queries_(piece_, head_dim_, bias, random_),
          keys_(piece_, head_dim_, bias, random_),
          values_(piece_, head_dim_, bias, random_),
          fc_out_(heads_ * head_dim_, o.embed_dim, bias, random_) {
        register_module("q_proj", queries_);
        register_module("k_proj", keys_);
        register_module("v_proj", values_);
        register_module("out_proj", fc_out_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor attention = attention_weights(query, key, mask);
        const Tensor v = values_.forward(in_pieces(value));
        if (v.size(0) != attention.size(0) || v.size(2) != attention.size(3))
            throw std::invalid_argument("value must be (B, S, D)");
        if (is_training())
            for (Index i = 0; i < attention.numel() && options_.dropout > 0.0F; ++i)
                attention.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : attention.data()[i] / (1.0F - options_.dropout);
        return fc_out_.forward(given::merge_heads(matmul(attention, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = queries_.forward(in_pieces(query));
        const Tensor k = keys_.forward(in_pieces(key));
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, k, blocked).weights;
    }

private:
    /// (B, L, D) -> (B, H, L, D / H)
    Tensor in_pieces(const Tensor& x) const {
        if (x.rank() != 3 || x.size(2) != options_.embed_dim) throw std::invalid_argument("(B, length, D) is needed");
        return given::split_heads(x, heads_);
    }

    Index heads_, piece_, head_dim_;
    AttentionOptions options_;
    Random random_;
    nn::Linear queries_, keys_, values_, fc_out_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("sizes must be positive");
    if (options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim must be positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads),
                                                options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
