#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(Index d_model, Index num_heads, Index d_k, const AttentionOptions& options)
        : d_model_(d_model),
          num_heads_(num_heads),
          d_k_(d_k),
          causal_(options.causal),
          drop_prob_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_layer_(d_model_, num_heads_ * d_k_, bias_, random_),
          k_layer_(d_model_, num_heads_ * d_k_, bias_, random_),
          v_layer_(d_model_, num_heads_ * d_k_, bias_, random_),
          linear_layer_(num_heads_ * d_k_, d_model_, bias_, random_) {
        register_module("q_proj", q_layer_);
        register_module("k_proj", k_layer_);
        register_module("v_proj", v_layer_);
        register_module("out_proj", linear_layer_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor q = heads(q_layer_.forward(query));
        const Tensor k = heads(k_layer_.forward(key));
        const Tensor v = heads(v_layer_.forward(value));
        auto [values, attention] =
            given::scaled_dot_product_attention(q, k, v, with_causal(mask, q.size(2), k.size(2)));
        if (is_training() && drop_prob_ > 0.0F) values = matmul(dropped(attention), v);
        values = values.view({q.size(0), q.size(2), num_heads_ * d_k_});
        return linear_layer_.forward(values);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = heads(q_layer_.forward(query));
        const Tensor k = heads(k_layer_.forward(key));
        return given::scaled_dot_product_attention(q, k, k, with_causal(mask, q.size(2), k.size(2))).weights;
    }

private:
    Tensor heads(const Tensor& x) const {
        if (x.rank() != 3) throw std::invalid_argument("input must be (batch, sequence, d_model)");
        return x.view({x.size(0), x.size(1), num_heads_, d_k_}).transpose(1, 2);
    }

    Mask with_causal(const Mask& mask, Index T, Index S) const {
        return causal_ ? given::causal_mask(T, S) | mask : mask;
    }

    Tensor dropped(Tensor attention) {
        for (Index i = 0; i < attention.numel(); ++i)
            attention.data()[i] = random_.uniform() < drop_prob_ ? 0.0F : attention.data()[i] / (1.0F - drop_prob_);
        return attention;
    }

    Index d_model_, num_heads_, d_k_;
    bool causal_;
    float drop_prob_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_layer_, k_layer_, v_layer_, linear_layer_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("d_model");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("drop_prob");
    Index d_k = 0;
    if (options.head_dim)
        d_k = *options.head_dim;
    else if (options.embed_dim % options.num_heads == 0)
        d_k = options.embed_dim / options.num_heads;
    if (d_k < 1) throw std::invalid_argument("d_k");
    return std::make_unique<MultiHeadAttention>(options.embed_dim, options.num_heads, d_k, options);
}

}  // namespace headway::ex05
