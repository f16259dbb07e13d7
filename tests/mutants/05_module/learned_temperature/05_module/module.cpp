#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class TemperedAttention : public Attention {
public:
    TemperedAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          random_(options.seed),
          temperature_(Tensor::ones({options.num_heads, 1, 1})),
          q_proj_(options.embed_dim, options.num_heads * head_dim, wanted_bias(), random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, wanted_bias(), random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, wanted_bias(), random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, wanted_bias(), random_) {
        register_parameter("temperature", temperature_);
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        return out_proj_.forward(given::merge_heads(attend(query, key, value, mask, is_training()).context));
    }
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, key, mask, false).weights;
    }

private:
    nn::Bias wanted_bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, Mask mask, bool dropping) {
        // A warmer head looks at more keys. Heads start out equal.
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads) / temperature_;
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        if (options_.causal) mask = mask | given::causal_mask(q.size(2), k.size(2));
        given::Attended result = given::scaled_dot_product_attention(q, k, v, mask);
        if (!dropping || options_.dropout == 0.0F) return result;
        const Tensor u = random_.uniform(result.weights.shape(), 0.0F, 1.0F);
        for (Index i = 0; i < u.numel(); ++i) {
            float& w = result.weights.data()[i];
            w = u.data()[i] >= options_.dropout ? w / (1.0F - options_.dropout) : 0.0F;
        }
        result.context = matmul(result.weights, v);
        return result;
    }

    AttentionOptions options_;
    Random random_;
    Tensor temperature_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("no model width");
    if (options.num_heads < 1) throw std::invalid_argument("no heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout out of range");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("no head width");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("heads do not fit");
    const Index head_dim = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<TemperedAttention>(options, head_dim);
}

}  // namespace headway::ex05
