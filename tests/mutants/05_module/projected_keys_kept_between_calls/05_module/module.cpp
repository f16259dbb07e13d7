#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class CachingAttention : public Attention {
public:
    CachingAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        given::Attended attended = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < attended.weights.numel(); ++i) {
                const bool dropped = random_.uniform() < options_.dropout;
                attended.weights.data()[i] = dropped ? 0.0F : attended.weights.data()[i] / (1.0F - options_.dropout);
            }
            attended.context = matmul(attended.weights, v);
        }
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, keys(key), mask).weights;
    }

private:
    /// The decoder asks for the same keys again and again: project them once.
    const Tensor& keys(const Tensor& key) {
        if (key.shape() != cached_shape_ || !cached_keys_.defined()) {
            cached_keys_ = given::split_heads(k_proj_.forward(key), options_.num_heads);
            cached_shape_ = key.shape();
        }
        return cached_keys_;
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = keys(key);
        const Mask blocked = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, v, blocked);
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Tensor cached_keys_;
    Shape cached_shape_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim and num_heads >= 1");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("0 <= dropout < 1");
    return std::make_unique<CachingAttention>(options,
                                              options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
