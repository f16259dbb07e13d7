#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : options_(options),
          random_(options.seed),
          q_proj_(options.embed_dim, width(), bias(), random_),
          k_proj_(options.embed_dim, width(), bias(), random_),
          v_proj_(options.embed_dim, width(), bias(), random_),
          out_proj_(width(), options.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        Tensor weights = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask);
    }

private:
    Index width() const { return options_.num_heads * options_.head_dim.value(); }
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask all = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, v, all).weights;
    }

    const AttentionOptions& options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    AttentionOptions complete = options;
    if (complete.embed_dim < 1) throw std::invalid_argument("embed_dim must be positive");
    if (complete.num_heads < 1) throw std::invalid_argument("num_heads must be positive");
    if (!(complete.dropout >= 0.0F && complete.dropout < 1.0F))
        throw std::invalid_argument("dropout must be in [0, 1)");
    if (!complete.head_dim) {
        if (complete.embed_dim % complete.num_heads != 0) throw std::invalid_argument("embed_dim must be divisible");
        complete.head_dim = complete.embed_dim / complete.num_heads;
    }
    if (*complete.head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    return std::make_unique<MultiHeadAttention>(complete);
}

}  // namespace headway::ex05
