#include "module.hpp"

#include <stdexcept>
#include <tuple>

namespace headway::ex05 {
namespace {

/// Inverted dropout with a stream of its own.
class Dropout {
public:
    Dropout(float p, std::uint64_t seed) : p_(p), random_(seed ^ 0xd1ceU) {}

    Tensor operator()(const Tensor& x, bool training) {
        if (!training || p_ <= 0.0F) return x;
        Tensor factors = Tensor::zeros(x.shape());
        for (Index i = 0; i < factors.numel(); ++i)
            if (random_.uniform() >= p_) factors.data()[i] = 1.0F / (1.0F - p_);
        return x * factors;
    }

private:
    float p_;
    Random random_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index E, nn::Bias bias, Random random)
        : num_heads_(o.num_heads),
          causal_(o.causal),
          to_queries_(o.embed_dim, E, bias, random),
          to_values_(o.embed_dim, E, bias, random),
          to_keys_(o.embed_dim, E, bias, random),
          to_output_(E, o.embed_dim, bias, random),
          dropout_(o.dropout, o.seed) {
        register_module("q_proj", to_queries_);
        register_module("k_proj", to_values_);
        register_module("v_proj", to_keys_);
        register_module("out_proj", to_output_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const auto [q, k, v] = project(query, key, value);
        const Tensor weights = given::scaled_dot_product_attention(q, k, v, add_causal(mask, q, k)).weights;
        return to_output_.forward(given::merge_heads(matmul(dropout_(weights, is_training()), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const auto [q, k, v] = project(query, key, key);
        return given::scaled_dot_product_attention(q, k, v, add_causal(mask, q, k)).weights;
    }

private:
    std::tuple<Tensor, Tensor, Tensor> project(const Tensor& query, const Tensor& key, const Tensor& value) const {
        return {given::split_heads(to_queries_.forward(query), num_heads_),
                given::split_heads(to_keys_.forward(key), num_heads_),
                given::split_heads(to_values_.forward(value), num_heads_)};
    }

    Mask add_causal(const Mask& mask, const Tensor& q, const Tensor& k) const {
        return causal_ ? given::causal_mask(q.size(2), k.size(2)) | mask : mask;
    }

    Index num_heads_;
    bool causal_;
    nn::Linear to_queries_, to_values_, to_keys_, to_output_;
    Dropout dropout_;
};

Index checked_head_dim(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("embed_dim and num_heads start at 1");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout is a probability below 1");
    if (o.head_dim && *o.head_dim >= 1) return *o.head_dim;
    if (o.head_dim || o.embed_dim % o.num_heads != 0) throw std::invalid_argument("no head_dim fits");
    return o.embed_dim / o.num_heads;
}

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const Index head_dim = checked_head_dim(options);
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads,
                                                options.bias ? nn::Bias::yes : nn::Bias::no, Random(options.seed));
}

}  // namespace headway::ex05
