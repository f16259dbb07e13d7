#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(AttentionOptions options, Index head_dim)
        : options_(options),
          random_(options_.seed),
          q_proj_(options_.embed_dim, options_.num_heads * head_dim, nn::Bias(options_.bias), random_),
          k_proj_(options_.embed_dim, options_.num_heads * head_dim, nn::Bias(options_.bias), random_),
          v_proj_(options_.embed_dim, options_.num_heads * head_dim, nn::Bias(options_.bias), random_),
          out_proj_(options_.num_heads * head_dim, options_.embed_dim, nn::Bias(options_.bias), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(v_proj_.forward(value));
        given::Attended attended = attend(query, key, v, mask);
        if (options_.dropout > 0.0F && is_training()) {
            for (Index i = 0; i < attended.weights.numel(); ++i) {
                const float kept = random_.uniform() < options_.dropout ? 0.0F : 1.0F;
                attended.weights.data()[i] *= kept / (1.0F - options_.dropout);
            }
            attended.context = matmul(attended.weights, v);
        }
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, split(k_proj_.forward(key)), mask).weights;
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = split(q_proj_.forward(query)), k = split(k_proj_.forward(key));
        if (mask.defined())
            (void)mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)});  // throws if it does not fit
        Mask blocked;
        if (options_.causal) blocked = given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, blocked);
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (!(options.embed_dim > 0)) throw std::invalid_argument("embed_dim must be > 0");
    if (!(options.num_heads > 0)) throw std::invalid_argument("num_heads must be > 0");
    if (options.head_dim && !(*options.head_dim > 0)) throw std::invalid_argument("head_dim must be > 0");
    if (!options.head_dim && options.embed_dim % options.num_heads)
        throw std::invalid_argument("num_heads must divide");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
