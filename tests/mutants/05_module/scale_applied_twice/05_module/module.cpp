#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

struct MultiHeadAttention : Attention {
    AttentionOptions opt;
    Index d;
    Random init, drop;
    nn::Bias bias = opt.bias ? nn::Bias::yes : nn::Bias::no;
    nn::Linear q_proj{opt.embed_dim, opt.num_heads* d, bias, init};
    nn::Linear k_proj{opt.embed_dim, opt.num_heads* d, bias, init};
    nn::Linear v_proj{opt.embed_dim, opt.num_heads* d, bias, init};
    nn::Linear out_proj{opt.num_heads * d, opt.embed_dim, bias, init};

    explicit MultiHeadAttention(const AttentionOptions& o)
        : opt(o), d(o.head_dim.value_or(o.embed_dim / o.num_heads)), init(o.seed), drop(o.seed + 1) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, Mask mask) {
        // Scaling q is cheaper than scaling the scores: T·d numbers instead of T·S.
        const Tensor q = q_proj.forward(query) * (1.0F / std::sqrt(static_cast<float>(d)));
        const Tensor k = k_proj.forward(key);
        const Tensor v = v_proj.forward(value);
        if (opt.causal && query.rank() == 3 && key.rank() == 3)
            mask = mask | given::causal_mask(query.size(1), key.size(1));
        return given::scaled_dot_product_attention(given::split_heads(q, opt.num_heads),
                                                   given::split_heads(k, opt.num_heads),
                                                   given::split_heads(v, opt.num_heads), mask);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, key, mask).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        given::Attended attended = attend(query, key, value, mask);
        if (is_training() && opt.dropout > 0) {
            Tensor keep = Tensor::empty(attended.weights.shape());
            for (Index i = 0; i < keep.numel(); ++i)
                keep.data()[i] = drop.uniform() < opt.dropout ? 0.0F : 1.0F / (1.0F - opt.dropout);
            const Tensor v = given::split_heads(v_proj.forward(value), opt.num_heads);
            attended.context = matmul(attended.weights * keep, v);
        }
        return out_proj.forward(given::merge_heads(attended.context));
    }
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const bool sizes_fit = options.embed_dim >= 1 && options.num_heads >= 1 &&
                           (options.head_dim ? *options.head_dim >= 1 : options.embed_dim % options.num_heads == 0);
    const bool dropout_fits = options.dropout >= 0.0F && options.dropout < 1.0F;
    if (!sizes_fit || !dropout_fits) throw std::invalid_argument("multi-head attention: impossible options");
    return std::make_unique<MultiHeadAttention>(options);
}

}  // namespace headway::ex05
