#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

Tensor relu(Tensor x) {
    std::for_each(x.data(), x.data() + x.numel(), [](float& value) { value = std::max(value, 0.0F); });
    return x;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index inner)
        : options_(options),
          random_(options.seed),
          dense_q_(options.embed_dim, inner, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          dense_k_(options.embed_dim, inner, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          dense_v_(options.embed_dim, inner, options.bias ? nn::Bias::yes : nn::Bias::no, random_),
          dense_out_(inner, options.embed_dim, options.bias ? nn::Bias::yes : nn::Bias::no, random_) {
        register_module("q_proj", dense_q_);
        register_module("k_proj", dense_k_);
        register_module("v_proj", dense_v_);
        register_module("out_proj", dense_out_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = layer(dense_v_, value);
        auto attended = given::scaled_dot_product_attention(layer(dense_q_, query), layer(dense_k_, key), v,
                                                            combined(mask, query, key));
        if (is_training() && options_.dropout > 0.0F) {
            std::transform(attended.weights.data(), attended.weights.data() + attended.weights.numel(),
                           attended.weights.data(), [this](float weight) {
                               return random_.uniform() < options_.dropout ? 0.0F : weight / (1.0F - options_.dropout);
                           });
            attended.context = matmul(attended.weights, v);
        }
        return dense_out_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = layer(dense_k_, key);
        return given::scaled_dot_product_attention(layer(dense_q_, query), k, k, combined(mask, query, key)).weights;
    }

private:
    Tensor layer(const nn::Linear& dense, const Tensor& x) const {
        return given::split_heads(relu(dense.forward(x)), options_.num_heads);
    }

    Mask combined(const Mask& mask, const Tensor& query, const Tensor& key) const {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("rank 3 is needed");
        return options_.causal ? given::causal_mask(query.size(1), key.size(1)) | mask : mask;
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear dense_q_, dense_k_, dense_v_, dense_out_;
};

void check(const AttentionOptions& o) {
    if (std::min({o.embed_dim, o.num_heads, o.head_dim.value_or(1)}) < 1)
        throw std::invalid_argument("embed_dim, num_heads and head_dim must be at least 1");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0)
        throw std::invalid_argument("num_heads must divide embed_dim, or head_dim be given");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
}

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    check(options);
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads);
}

}  // namespace headway::ex05
