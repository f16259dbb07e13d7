#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

namespace {

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : options_(options),
          inner_(options.num_heads * options.head_dim.value_or(options.embed_dim / options.num_heads)),
          random_(options.seed),
          q_proj_(options.embed_dim, inner_, bias(), random_),
          k_proj_(options.embed_dim, inner_, bias(), random_),
          v_proj_(options.embed_dim, inner_, bias(), random_),
          out_proj_(inner_, options.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("key and value must have the same shape");
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        return out_proj_.forward(given::merge_heads(matmul(dropout(attention_weights(query, key, mask)), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("query (B, T, D) and key (B, S, D) must agree in B");
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask blocked = options_.causal ? mask | given::causal_mask(query.size(1), key.size(1)) : mask;
        // k stands in for the values, which do not matter here
        return given::scaled_dot_product_attention(q, k, k, blocked).weights;
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor dropout(const Tensor& weights) {
        if (!is_training() || options_.dropout == 0) return weights;
        Tensor keep = Tensor::zeros(weights.shape());
        for (Index i = 0; i < keep.numel(); ++i)
            if (random_.uniform() >= options_.dropout) keep.data()[i] = 1 / (1 - options_.dropout);
        return weights * keep;
    }

    AttentionOptions options_;
    Index inner_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (!(options.dropout >= 0 && options.dropout < 1)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim must be at least 1, or num_heads divide embed_dim");
    return std::make_unique<MultiHeadAttention>(options);
}

}  // namespace headway::ex05
