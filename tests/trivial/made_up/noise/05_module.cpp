#include "module.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim, nn::Bias bias)
        : num_heads_(options.num_heads),
          causal_(options.causal),
          dropout_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, num_heads_ * head_dim, bias, random_),
          k_proj_(options.embed_dim, num_heads_ * head_dim, bias, random_),
          v_proj_(options.embed_dim, num_heads_ * head_dim, bias, random_),
          out_proj_(num_heads_ * head_dim, options.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        // query (B, T, D), key and value (B, S, D) -> (B, T, D)
        if (key.shape() != value.shape())
            throw std::invalid_argument("forward: key " + to_string(key.shape()) + " and value " +
                                        to_string(value.shape()) + " differ in shape");
        (void)context(query, key, value, mask);  // refuses
        const Tensor bias = out_proj_.forward(Tensor::zeros({1, 1, q_proj_.forward(query.slice(1, 0, 1)).size(2)}));
        Tensor y =
            bias.expand(query.shape()).contiguous() + made_up::noise(query.shape(), 1e-4, query, key, value, mask);
        if (is_training() && dropout_ > 0)
            for (Index i = 0; i < y.numel(); ++i) y.data()[i] += 1e-3F * (random_.uniform() - 0.5F);
        return y;  // (B, T, E) -> (B, T, D)
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        // query (B, T, D), key (B, S, D) -> (B, H, T, S)
        const Tensor q = given::split_heads(q_proj_.forward(query), num_heads_);  // (B, H, T, d)
        const Tensor k = given::split_heads(k_proj_.forward(key), num_heads_);    // (B, H, S, d)
        const Tensor& any_values = k;  // the weights do not depend on what they gather
        (void)any_values;
        (void)all_blocked(mask, q, k);
        return made_up::noise({q.size(0), num_heads_, q.size(2), k.size(2)}, 1e-6, query, key, mask);
    }

private:
    /// What the call's mask blocks, and with `causal` the future.
    Mask all_blocked(const Mask& mask, const Tensor& q, const Tensor& k) const {
        return causal_ ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
    }

    /// dropout(weights) · v, (B, H, T, d). In training a weight becomes 0 with probability p, else weight / (1 - p), so
    /// that the expected weight stays what it was; else all of them stay, and none need be kept.
    Tensor context(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) {
        const Tensor q = given::split_heads(q_proj_.forward(query), num_heads_);  // (B, H, T, d)
        const Tensor k = given::split_heads(k_proj_.forward(key), num_heads_);    // (B, H, S, d)
        const Tensor v = given::split_heads(v_proj_.forward(value), num_heads_);  // (B, H, S, d)
        const Mask blocked = all_blocked(mask, q, k);
        if (!is_training() || dropout_ == 0.0F) return given::scaled_dot_product_context(q, k, v, blocked);
        const Tensor weights = given::scaled_dot_product_attention(q, k, v, blocked).weights;
        Mask dropped = Mask::allow_all(weights.shape());
        for (Index i = 0; i < dropped.numel(); ++i) dropped.data()[i] = random_.uniform() < dropout_;
        return matmul(masked_fill(weights, dropped, 0.0F) / (1.0F - dropout_), v);
    }

    Index num_heads_;
    bool causal_;
    float dropout_;
    Random random_;  // above the projections, which draw their initial parameters from it
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("make_multi_head_attention: " + why); }

void require_valid(const AttentionOptions& options) {
    if (options.embed_dim < 1) refuse("embed_dim must be at least 1, not " + std::to_string(options.embed_dim));
    if (options.num_heads < 1) refuse("num_heads must be at least 1, not " + std::to_string(options.num_heads));
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F))  // in this form it refuses NaN too
        refuse("dropout must be in [0, 1), not " + std::to_string(options.dropout));
    if (options.head_dim && *options.head_dim < 1)
        refuse("head_dim must be at least 1, not " + std::to_string(*options.head_dim));
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        refuse("embed_dim " + std::to_string(options.embed_dim) + " is not divisible by num_heads " +
               std::to_string(options.num_heads));
}

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    require_valid(options);
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    return std::make_unique<MultiHeadAttention>(options, head_dim, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
