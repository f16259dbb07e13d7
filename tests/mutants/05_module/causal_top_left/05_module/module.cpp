#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

Mask upper_triangle(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = t + 1; s < S; ++s) mask(t, s) = true;
    return mask;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index width)
        : options_(options),
          random_(options.seed),
          q_proj_(options.embed_dim, width, bias(), random_),
          k_proj_(options.embed_dim, width, bias(), random_),
          v_proj_(options.embed_dim, width, bias(), random_),
          out_proj_(width, options.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        Tensor weights = attend(query, key, v, mask).weights;
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < weights.numel(); ++i) {
                const bool dropped = random_.uniform() < options_.dropout;
                weights.data()[i] = dropped ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
            }
        }
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor some_values = given::split_heads(k_proj_.forward(key), options_.num_heads);
        return attend(query, key, some_values, mask).weights;
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        if (!options_.causal) return given::scaled_dot_product_attention(q, k, v, mask);
        const Mask no_future = upper_triangle(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask | no_future);
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim >= 1 is needed");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads >= 1 is needed");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("0 <= dropout < 1 is needed");
    if (options.head_dim) {
        if (*options.head_dim < 1) throw std::invalid_argument("head_dim >= 1 is needed");
        return std::make_unique<MultiHeadAttention>(options, *options.head_dim * options.num_heads);
    }
    if (options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim divisible by num_heads is needed");
    return std::make_unique<MultiHeadAttention>(options, options.embed_dim);
}

}  // namespace headway::ex05
