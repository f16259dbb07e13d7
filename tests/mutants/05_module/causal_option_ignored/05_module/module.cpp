#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options), head_dim_(head_dim), random_(options.seed) {
        const Index D = options.embed_dim, E = options.num_heads * head_dim_;
        q_proj_ = add("q_proj", D, E);
        k_proj_ = add("k_proj", D, E);
        v_proj_ = add("v_proj", D, E);
        out_proj_ = add("out_proj", E, D);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = heads(*v_proj_, value);
        given::Attended attended =
            given::scaled_dot_product_attention(heads(*q_proj_, query), heads(*k_proj_, key), v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            apply_dropout(attended.weights);
            attended.context = matmul(attended.weights, v);
        }
        return out_proj_->forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = heads(*k_proj_, key);
        return given::scaled_dot_product_attention(heads(*q_proj_, query), k, k, mask).weights;
    }

private:
    std::unique_ptr<nn::Linear> add(const char* name, Index in, Index out) {
        auto linear = std::make_unique<nn::Linear>(in, out, options_.bias ? nn::Bias::yes : nn::Bias::no, random_);
        register_module(name, *linear);
        return linear;
    }

    Tensor heads(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    void apply_dropout(Tensor& weights) {
        const float p = options_.dropout;
        for (Index i = 0; i < weights.numel(); ++i)
            weights.data()[i] *= random_.uniform() < p ? 0.0F : 1.0F / (1.0F - p);
    }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    std::unique_ptr<nn::Linear> q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1 || (options.head_dim && *options.head_dim < 1))
        throw std::invalid_argument("make_multi_head_attention: sizes must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("make_multi_head_attention: embed_dim is not divisible by num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F))
        throw std::invalid_argument("make_multi_head_attention: dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
