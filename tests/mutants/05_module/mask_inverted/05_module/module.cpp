#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention final : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, nn::Bias bias)
        : H_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
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
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        const given::Attended attended =
            given::scaled_dot_product_attention(q, k, v, not_to_be_seen(mask, q.size(2), k.size(2)));
        if (!is_training() || p_ == 0.0F) return out_proj_.forward(given::merge_heads(attended.context));

        const Tensor draws = random_.uniform(attended.weights.shape(), 0.0F, 1.0F);
        Mask dropped = Mask::allow_all(draws.shape());
        for (Index i = 0; i < draws.numel(); ++i) dropped.data()[i] = draws.data()[i] < p_;
        const Tensor thinned = masked_fill(attended.weights, dropped, 0.0F) * (1.0F / (1.0F - p_));
        return out_proj_.forward(given::merge_heads(matmul(thinned, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        return given::scaled_dot_product_attention(q, k, k, not_to_be_seen(mask, q.size(2), k.size(2))).weights;
    }

private:
    Mask not_to_be_seen(const Mask& mask, Index T, Index S) const {
        const Mask padding = mask.defined() ? !mask : Mask{};
        return causal_ ? padding | given::causal_mask(T, S) : padding;
    }

    Index H_;
    bool causal_;
    float p_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    using Bad = std::invalid_argument;
    if (options.embed_dim < 1) throw Bad("embed_dim = " + std::to_string(options.embed_dim));
    if (options.num_heads < 1) throw Bad("num_heads = " + std::to_string(options.num_heads));
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw Bad("dropout = " + std::to_string(options.dropout));
    if (options.head_dim && *options.head_dim < 1) throw Bad("head_dim = " + std::to_string(*options.head_dim));
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw Bad("embed_dim % num_heads != 0");
    const Index E = options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim;
    return std::make_unique<MultiHeadAttention>(options, E, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
