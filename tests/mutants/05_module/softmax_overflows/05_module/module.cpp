#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : o(options),
          d(head_dim),
          random(o.seed),
          bias(o.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj(o.embed_dim, o.num_heads * d, bias, random),
          k_proj(o.embed_dim, o.num_heads * d, bias, random),
          v_proj(o.embed_dim, o.num_heads * d, bias, random),
          out_proj(o.num_heads * d, o.embed_dim, bias, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        Tensor q = given::split_heads(q_proj.forward(query), o.num_heads);
        Tensor k = given::split_heads(k_proj.forward(key), o.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("batch of query is not batch of key");
        Tensor e = exp(matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d)));
        e = masked_fill(e, mask, 0.0F);
        if (o.causal) e = masked_fill(e, given::causal_mask(q.size(2), k.size(2)), 0.0F);
        Tensor total = sum(e, -1, KeepAxis::yes);
        for (Index b = 0; b < total.size(0); ++b)
            for (Index h = 0; h < total.size(1); ++h)
                for (Index t = 0; t < total.size(2); ++t)
                    if (total(b, h, t, 0) == 0.0F) total(b, h, t, 0) = 1.0F;  // no visible key
        return e / total;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor w = attention_weights(query, key, mask);
        Tensor v = given::split_heads(v_proj.forward(value), o.num_heads);
        if (v.size(0) != w.size(0) || v.size(2) != w.size(3)) throw std::invalid_argument("value is not like key");
        if (is_training() && o.dropout > 0.0F) {
            Tensor keep = random.uniform(w.shape(), 0.0F, 1.0F);
            for (Index i = 0; i < keep.numel(); ++i)
                keep.data()[i] = keep.data()[i] >= o.dropout ? 1.0F / (1.0F - o.dropout) : 0.0F;
            w *= keep;
        }
        return out_proj.forward(given::merge_heads(matmul(w, v)));
    }

private:
    AttentionOptions o;
    Index d;
    Random random;
    nn::Bias bias;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim or num_heads too small");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim too small");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("uneven heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout out of range");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
