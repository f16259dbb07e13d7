#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : o(options),
          width(head_dim),
          random(options.seed),
          with_bias(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj(o.embed_dim, o.num_heads * width, with_bias, random),
          k_proj(o.embed_dim, o.num_heads * width, with_bias, random),
          v_proj(o.embed_dim, o.num_heads * width, with_bias, random),
          out_proj(o.num_heads * width, o.embed_dim, with_bias, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj.forward(value), o.num_heads);
        given::Attended attended = attend(query, key, v, mask);
        if (is_training() && o.dropout > 0.0F) {
            for (Index i = 0; i < attended.weights.numel(); ++i)
                attended.weights.data()[i] *= random.uniform() < o.dropout ? 0.0F : 1.0F / (1.0F - o.dropout);
            attended.context = matmul(attended.weights, v);
        }
        Tensor y = project_head(attended.context, 0);
        for (Index h = 1; h < o.num_heads; ++h) y += project_head(attended.context, h);
        return y;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor unused = given::split_heads(k_proj.forward(key), o.num_heads);
        return attend(query, key, unused, mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = given::split_heads(q_proj.forward(query), o.num_heads);
        const Tensor k = given::split_heads(k_proj.forward(key), o.num_heads);
        if (o.causal) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    /// What head h contributes to the output: (B, T, d) · W_h, where W_h are its columns of the weight (D, E).
    Tensor project_head(const Tensor& context, Index h) const {
        const Tensor w_h = out_proj.weight.slice(1, h * width, (h + 1) * width);
        const Tensor y = matmul(context.select(1, h), w_h.transpose(0, 1));
        return out_proj.bias.defined() ? y + out_proj.bias : y;
    }

    AttentionOptions o;
    Index width;
    Random random;
    nn::Bias with_bias;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be >= 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim must be >= 1; without it, num_heads must divide embed_dim");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
