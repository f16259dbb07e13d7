#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
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
        const Tensor v = split(v_proj_, value);
        const given::Attended attended = attend(query, key, v, mask);
        if (!is_training() || options_.dropout == 0.0F) return output(attended.context);
        Tensor weights = attended.weights.clone();
        for (Index i = 0; i < weights.numel(); ++i)
            weights.data()[i] =
                random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        return output(matmul(weights, v));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, split(v_proj_, key), mask).weights;
    }

private:
    Tensor split(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    Tensor output(const Tensor& context) const { return out_proj_.forward(given::merge_heads(context)); }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = split(q_proj_, query), k = split(k_proj_, key);
        const Mask future = options_.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
        return given::scaled_dot_product_attention(q, k, v, mask | future);
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim) return std::make_unique<MultiHeadAttention>(options, *options.head_dim);
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("num_heads must divide embed_dim");
    return std::make_unique<MultiHeadAttention>(options, options.embed_dim / options.num_heads);
}

}  // namespace headway::ex05
