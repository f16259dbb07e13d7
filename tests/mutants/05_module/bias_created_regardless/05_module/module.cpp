#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(Index embed_dim, Index num_heads, Index head_dim, bool causal, float dropout, std::uint64_t seed)
        : H_(num_heads),
          causal_(causal),
          dropout_(dropout),
          parameters_random_(seed),
          dropout_random_(~seed),
          q_proj_(embed_dim, num_heads * head_dim, nn::Bias::yes, parameters_random_),
          k_proj_(embed_dim, num_heads * head_dim, nn::Bias::yes, parameters_random_),
          v_proj_(embed_dim, num_heads * head_dim, nn::Bias::yes, parameters_random_),
          out_proj_(num_heads * head_dim, embed_dim, nn::Bias::yes, parameters_random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        const given::Attended attended = attend(query, key, v, mask);
        const Tensor context = is_training() && dropout_ > 0 ? matmul(drop(attended.weights), v) : attended.context;
        return out_proj_.forward(given::merge_heads(context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), H_), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        if (!causal_) return given::scaled_dot_product_attention(q, k, v, mask);
        return given::scaled_dot_product_attention(q, k, v, mask | given::causal_mask(q.size(2), k.size(2)));
    }

    Tensor drop(const Tensor& weights) {
        Mask gone = Mask::allow_all(weights.shape());
        for (Index i = 0; i < gone.numel(); ++i) gone.data()[i] = dropout_random_.uniform() < dropout_;
        return masked_fill(weights, gone, 0.0F) / (1.0F - dropout_);
    }

    Index H_;
    bool causal_;
    float dropout_;
    Random parameters_random_, dropout_random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be positive");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be a multiple of num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    return std::make_unique<MultiHeadAttention>(options.embed_dim, options.num_heads,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads),
                                                options.causal, options.dropout, options.seed);
}

}  // namespace headway::ex05
