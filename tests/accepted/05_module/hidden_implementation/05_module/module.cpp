#include "module.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(AttentionOptions options);
    ~MultiHeadAttention() override;

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override;
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

struct MultiHeadAttention::Implementation {
    AttentionOptions options;
    Random init{options.seed};
    nn::Bias bias = options.bias ? nn::Bias::yes : nn::Bias::no;
    Index inner = options.num_heads * *options.head_dim;
    nn::Linear q_proj{options.embed_dim, inner, bias, init};
    nn::Linear k_proj{options.embed_dim, inner, bias, init};
    nn::Linear v_proj{options.embed_dim, inner, bias, init};
    nn::Linear out_proj{inner, options.embed_dim, bias, init};
    std::uint64_t calls = 0;

    explicit Implementation(AttentionOptions o) : options(std::move(o)) {}

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("attention: query (B, T, D), key (B, S, D)");
        const auto q = given::split_heads(q_proj.forward(query), options.num_heads);
        const auto k = given::split_heads(k_proj.forward(key), options.num_heads);
        const auto blocked = options.causal ? given::causal_mask(query.size(1), key.size(1)) | mask : mask;
        return given::scaled_dot_product_attention(q, k, v.defined() ? v : k, blocked);
    }
};

MultiHeadAttention::MultiHeadAttention(AttentionOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {
    register_module("q_proj", implementation_->q_proj);
    register_module("k_proj", implementation_->k_proj);
    register_module("v_proj", implementation_->v_proj);
    register_module("out_proj", implementation_->out_proj);
}

MultiHeadAttention::~MultiHeadAttention() = default;

Tensor MultiHeadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) {
    auto& my = *implementation_;
    if (key.shape() != value.shape()) throw std::invalid_argument("attention: key and value differ in shape");
    const Tensor v = given::split_heads(my.v_proj.forward(value), my.options.num_heads);
    auto [context, weights] = my.attend(query, key, v, mask);
    if (is_training() && my.options.dropout > 0) {
        Random draws(my.options.seed + 0x9e37 * ++my.calls);
        Tensor kept = Tensor::zeros(weights.shape());
        const float p = my.options.dropout;
        // element by element through the whole shape, whatever the strides of the weights
        for (Index b = 0; b < kept.size(0); ++b)
            for (Index h = 0; h < kept.size(1); ++h)
                for (Index t = 0; t < kept.size(2); ++t)
                    for (Index s = 0; s < kept.size(3); ++s)
                        if (draws.uniform() >= p) kept(b, h, t, s) = std::as_const(weights)(b, h, t, s) / (1 - p);
        context = matmul(kept, v);
    }
    return my.out_proj.forward(given::merge_heads(context));
}

Tensor MultiHeadAttention::attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) {
    return implementation_->attend(query, key, {}, mask).weights;
}

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& asked) {
    AttentionOptions options = asked;
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!std::isfinite(options.dropout) || options.dropout < 0 || options.dropout >= 1)
        throw std::invalid_argument("dropout");
    if (!options.head_dim && options.embed_dim % options.num_heads == 0)
        options.head_dim = options.embed_dim / options.num_heads;
    if (!options.head_dim || *options.head_dim < 1) throw std::invalid_argument("head_dim");
    return std::make_unique<MultiHeadAttention>(options);
}

}  // namespace headway::ex05
