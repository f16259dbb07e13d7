#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E) : options_(options), random_(options.seed) {
        const auto linear = [&](Index in, Index out) {
            return std::make_unique<nn::Linear>(in, out, options.bias ? nn::Bias::yes : nn::Bias::no, random_);
        };
        register_module("q_proj", *(q_proj_ = linear(options.embed_dim, E)));
        register_module("k_proj", *(k_proj_ = linear(options.embed_dim, E)));
        register_module("v_proj", *(v_proj_ = linear(options.embed_dim, E)));
        register_module("out_proj", *(out_proj_ = linear(E, options.embed_dim)));
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_->forward(value), options_.num_heads);
        Tensor weights = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) drop(weights);
        return out_proj_->forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_->forward(key), options_.num_heads), mask);
    }

private:
    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_->forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_->forward(key), options_.num_heads);
        const Mask blocked = options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, v, blocked).weights;
    }

    void drop(Tensor& weights) {
        for (Index i = 0; i < weights.numel(); ++i) {
            if (random_.uniform() < options_.dropout)
                weights.data()[i] = 0.0F;
            else
                weights.data()[i] /= 1.0F - options_.dropout;
        }
    }

    AttentionOptions options_;
    Random random_;
    std::unique_ptr<nn::Linear> q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads");
    if (!(options.dropout >= 0.0F) || options.dropout > 1.0F) throw std::invalid_argument("dropout is no probability");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("head_dim");
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads);
}

}  // namespace headway::ex05
