#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim, nn::Bias bias)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        given::Attended attended = attend(query, key, value, mask);
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < attended.weights.numel(); ++i) {
                float& weight = attended.weights.data()[i];
                weight = random_.uniform() < options_.dropout ? 0.0F : weight / (1.0F - options_.dropout);
            }
            attended.context = matmul(attended.weights, in_heads(v_proj_.forward(value)));
        }
        const Index B = query.size(0), T = query.size(1);
        return out_proj_.forward(attended.context.contiguous().view({B, T, -1}));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, key, mask).weights;
    }

private:
    Tensor in_heads(const Tensor& x) const {
        if (x.rank() != 3) throw std::invalid_argument("(B, length, width) is needed");
        return x.view({x.size(0), options_.num_heads, x.size(1), head_dim_});
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, Mask mask) const {
        const Tensor q = in_heads(q_proj_.forward(query));
        const Tensor k = in_heads(k_proj_.forward(key));
        const Tensor v = in_heads(v_proj_.forward(value));
        if (options_.causal) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: in [0, 1)");
    Index head_dim = options.embed_dim / options.num_heads;
    if (options.head_dim)
        head_dim = *options.head_dim;
    else if (head_dim * options.num_heads != options.embed_dim)
        throw std::invalid_argument("embed_dim: a multiple of num_heads");
    if (head_dim < 1) throw std::invalid_argument("head_dim: at least 1");
    return std::make_unique<MultiHeadAttention>(options, head_dim, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
