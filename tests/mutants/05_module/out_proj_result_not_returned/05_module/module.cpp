#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index hidden)
        : options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          linear_q_(options.embed_dim, hidden, bias_, random_),
          linear_k_(options.embed_dim, hidden, bias_, random_),
          linear_v_(options.embed_dim, hidden, bias_, random_),
          linear_proj_(hidden, options.embed_dim, bias_, random_) {
        register_module("q_proj", linear_q_);
        register_module("k_proj", linear_k_);
        register_module("v_proj", linear_v_);
        register_module("out_proj", linear_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor q = given::split_heads(linear_q_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(linear_k_.forward(key), options_.num_heads);
        const Tensor v = given::split_heads(linear_v_.forward(value), options_.num_heads);

        given::Attended attended = given::scaled_dot_product_attention(q, k, v, visible(mask, q, k));
        if (is_training() && options_.dropout > 0.0F) {
            const Tensor noise = random_.uniform(attended.weights.shape(), 0.0F, 1.0F);
            for (Index i = 0; i < noise.numel(); ++i) {
                float& w = attended.weights.data()[i];
                w = noise.data()[i] < options_.dropout ? 0.0F : w / (1.0F - options_.dropout);
            }
            attended.context = matmul(attended.weights, v);
        }

        Tensor output = given::merge_heads(attended.context);
        Tensor projected = linear_proj_.forward(output);
        return output;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(linear_q_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(linear_k_.forward(key), options_.num_heads);
        return given::scaled_dot_product_attention(q, k, k, visible(mask, q, k)).weights;
    }

private:
    Mask visible(const Mask& mask, const Tensor& q, const Tensor& k) const {
        if (!options_.causal) return mask;
        return mask | given::causal_mask(q.size(2), k.size(2));
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear linear_q_, linear_k_, linear_v_, linear_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("hidden dimension must be positive");
    if (options.num_heads < 1) throw std::invalid_argument("number of heads must be positive");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head dimension must be positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("hidden dimension must be divisible by the number of heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    const Index hidden = options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim;
    return std::make_unique<MultiHeadAttention>(options, hidden);
}

}  // namespace headway::ex05
