#include "module.hpp"

#include <iostream>
#include <stdexcept>

namespace headway::ex05 {

class InspectableAttention : public Attention {
public:
    InspectableAttention(const AttentionOptions& o, Index E)
        : H(o.num_heads),
          p(o.dropout),
          causal(o.causal),
          rng(o.seed),
          q_proj(o.embed_dim, E, static_cast<nn::Bias>(o.bias), rng),
          k_proj(o.embed_dim, E, static_cast<nn::Bias>(o.bias), rng),
          v_proj(o.embed_dim, E, static_cast<nn::Bias>(o.bias), rng),
          out_proj(E, o.embed_dim, static_cast<nn::Bias>(o.bias), rng) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
        std::cout << "attention with " << H << " heads of width " << E / H << '\n';
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key must have rank 3");
        if (query.size(0) != key.size(0)) throw std::invalid_argument("query and key are of different batches");
        const Tensor q = given::split_heads(q_proj.forward(query), H);
        const Tensor k = given::split_heads(k_proj.forward(key), H);
        Mask blocked = Mask::allow_all({q.size(2), k.size(2)}) | mask;
        if (causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        last_weights = given::scaled_dot_product_attention(q, k, k, blocked).weights;
        return last_weights.clone();  // the caller may write into what it gets
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.rank() != 3 || key.rank() != 3) throw std::invalid_argument("key and value must have rank 3");
        if (value.size(1) != key.size(1) || value.size(0) != key.size(0))
            throw std::invalid_argument("there must be one value a key");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training()) {
            const Tensor draws = rng.uniform(weights.shape(), 0.0F, 1.0F);
            float* w = weights.contiguous().data();
            if (!weights.is_contiguous()) throw std::logic_error("weights are expected to be contiguous");
            for (Index i = 0; i < weights.numel(); ++i) w[i] = draws.data()[i] < p ? 0.0F : w[i] / (1.0F - p);
        }
        const Tensor v = given::split_heads(v_proj.forward(value), H);
        return out_proj.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor last_weights;  // (B, H, T, S) of the last call, to print in a debugger

private:
    Index H;
    float p;
    bool causal;
    Random rng;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim = " + std::to_string(o.embed_dim));
    if (o.num_heads < 1) throw std::invalid_argument("num_heads = " + std::to_string(o.num_heads));
    if (!(o.dropout >= 0.F && o.dropout < 1.F)) throw std::invalid_argument("dropout = " + std::to_string(o.dropout));
    Index E = o.embed_dim;
    if (o.head_dim) {
        if (*o.head_dim < 1) throw std::invalid_argument("head_dim = " + std::to_string(*o.head_dim));
        E = o.num_heads * *o.head_dim;
    } else if (E % o.num_heads != 0) {
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    }
    return std::make_unique<InspectableAttention>(o, E);
}

}  // namespace headway::ex05
