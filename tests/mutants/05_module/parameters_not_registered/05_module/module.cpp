#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

Index width_of_a_head(const AttentionOptions& options) {
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (options.head_dim) return *options.head_dim;  // nn::Linear refuses what is not positive
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("embed_dim % num_heads is not 0");
    return options.embed_dim / options.num_heads;
}

class SimpleAttention final : public Attention {
public:
    explicit SimpleAttention(const AttentionOptions& options)
        : options_(options),
          random_(options.seed),
          inner_(options.num_heads * width_of_a_head(options)),
          q_proj_(options.embed_dim, inner_, bias(), random_),
          k_proj_(options.embed_dim, inner_, bias(), random_),
          v_proj_(options.embed_dim, inner_, bias(), random_),
          out_proj_(inner_, options.embed_dim, bias(), random_) {}

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        if (v.size(0) != key.size(0) || v.size(2) != key.size(1))
            throw std::invalid_argument("value does not match key");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training()) weights = dropped(weights);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(query.size(1), key.size(1));
        return given::scaled_dot_product_attention(q, k, k, blocked).weights;
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor dropped(Tensor weights) {
        if (options_.dropout == 0.0F) return weights;
        const float keep = 1.0F - options_.dropout;
        for (Index i = 0; i < weights.numel(); ++i)
            weights.data()[i] = random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / keep;
        return weights;
    }

    AttentionOptions options_;
    Random random_;
    Index inner_;
    nn::Linear q_proj_;
    nn::Linear k_proj_;
    nn::Linear v_proj_;
    nn::Linear out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<SimpleAttention>(options);
}

}  // namespace headway::ex05
