#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

class CausalSelfAttention : public Attention {
    AttentionOptions cfg;
    Index head_size;
    Random gen;
    nn::Bias b = cfg.bias ? nn::Bias::yes : nn::Bias::no;
    nn::Linear c_q{cfg.embed_dim, cfg.num_heads* head_size, b, gen};
    nn::Linear c_k{cfg.embed_dim, cfg.num_heads* head_size, b, gen};
    nn::Linear c_v{cfg.embed_dim, cfg.num_heads* head_size, b, gen};
    nn::Linear c_proj{cfg.num_heads * head_size, cfg.embed_dim, b, gen};

    Tensor to_heads(const Tensor& x) const { return given::split_heads(x, cfg.num_heads); }

    Tensor attn_dropout(const Tensor& att) {
        if (!is_training() || cfg.dropout == 0.0F) return att;
        Tensor out = att.clone();
        for (Index i = 0; i < out.numel(); ++i)
            out.data()[i] = gen.uniform() < cfg.dropout ? 0.0F : out.data()[i] / (1.0F - cfg.dropout);
        return out;
    }

public:
    CausalSelfAttention(const AttentionOptions& config, Index hs) : cfg(config), head_size(hs), gen(config.seed) {
        register_module("q_proj", c_q);
        register_module("k_proj", c_k);
        register_module("v_proj", c_v);
        register_module("out_proj", c_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = to_heads(c_q.forward(query));  // (B, nh, T, hs)
        const Tensor k = to_heads(c_k.forward(key));    // (B, nh, S, hs)
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key must be one batch");
        Tensor att = matmul(q, k.transpose(-2, -1)) * (1.0F / std::sqrt(static_cast<float>(head_size)));
        Mask m = mask;
        if (m.defined()) {
            if (cfg.causal) m = m | given::causal_mask(q.size(2), k.size(2));
            att = masked_fill(att, m, -INFINITY);
        }
        // softmax
        Tensor largest = max(att, -1, KeepAxis::yes);
        for (Index i = 0; i < largest.numel(); ++i)
            if (largest.data()[i] == -INFINITY) largest.data()[i] = 0.0F;
        att = exp(att - largest);
        Tensor total = sum(att, -1, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
        return att / total;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = to_heads(c_v.forward(value));
        const Tensor att = attn_dropout(attention_weights(query, key, mask));  // (B, nh, T, S)
        if (v.size(0) != att.size(0) || v.size(2) != att.size(3))
            throw std::invalid_argument("key and value must match");
        const Tensor y = given::merge_heads(matmul(att, v));  // (B, T, nh * hs)
        return c_proj.forward(y);
    }
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("n_embd and n_head are positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("n_embd % n_head != 0");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head size is positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout is in [0, 1)");
    const Index hs = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<CausalSelfAttention>(options, hs);
}

}  // namespace headway::ex05
