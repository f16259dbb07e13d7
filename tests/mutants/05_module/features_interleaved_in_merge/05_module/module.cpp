#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

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
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        const given::Attended attended = attend(query, key, v, mask);
        if (!is_training() || options_.dropout == 0.0F) return out_proj_.forward(merge(attended.context));
        Tensor thinned = attended.weights.clone();
        for (Index b = 0; b < thinned.size(0); ++b)
            for (Index h = 0; h < thinned.size(1); ++h)
                for (Index t = 0; t < thinned.size(2); ++t)
                    for (Index s = 0; s < thinned.size(3); ++s)
                        thinned(b, h, t, s) *=
                            random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return out_proj_.forward(merge(matmul(thinned, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask future = options_.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
        return given::scaled_dot_product_attention(q, k, v, future | mask);
    }

    /// (B, H, T, d) -> (B, T, E)
    Tensor merge(const Tensor& context) const {
        const Index B = context.size(0), H = context.size(1), T = context.size(2);
        const Tensor reordered = context.transpose(1, 3).transpose(1, 2);  // (B, d, T, H), then (B, T, d, H)
        return reordered.contiguous().view({B, T, head_dim_ * H});
    }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("need embed_dim >= 1, num_heads >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("need 0 <= dropout < 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("need H | D");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("need head_dim >= 1");
    const Index head_dim = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<MultiHeadAttention>(options, head_dim, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
