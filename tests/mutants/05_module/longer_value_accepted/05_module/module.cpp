#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          d_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          out_proj_(options.num_heads * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask blocked = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, k, blocked).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor v = v_proj_.forward(value);
        const Index B = weights.size(0), H = weights.size(1), T = weights.size(2), S = weights.size(3);
        if (v.rank() != 3 || v.size(0) != B) throw std::invalid_argument("value must be (B, S, D)");
        if (v.size(1) < S) throw std::invalid_argument("there are fewer values than keys");
        Tensor merged = Tensor::zeros({B, T, H * d_});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index h = 0; h < H; ++h)
                    for (Index s = 0; s < S; ++s) {
                        const float weight = dropped(weights(b, h, t, s));
                        for (Index i = 0; i < d_; ++i) merged(b, t, h * d_ + i) += weight * v(b, s, h * d_ + i);
                    }
        return out_proj_.forward(merged);
    }

private:
    float dropped(float weight) {
        if (!is_training() || options_.dropout == 0.0F) return weight;
        return random_.uniform() < options_.dropout ? 0.0F : weight / (1.0F - options_.dropout);
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
