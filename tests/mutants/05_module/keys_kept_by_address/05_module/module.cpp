#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class CachingAttention : public Attention {
public:
    CachingAttention(const AttentionOptions& o, Index head_dim)
        : options(o),
          E(o.num_heads * head_dim),
          random(o.seed),
          q_proj(o.embed_dim, E, bias(), random),
          k_proj(o.embed_dim, E, bias(), random),
          v_proj(o.embed_dim, E, bias(), random),
          out_proj(E, o.embed_dim, bias(), random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj.forward(query), options.num_heads);
        const Tensor k = keys_of(key);
        Mask m = mask;
        if (options.causal) m = m | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, k, m).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("forward: key and value");
        Tensor w = attention_weights(query, key, mask);
        if (is_training() && options.dropout > 0) {
            Mask out = Mask::allow_all(w.shape());
            for (Index i = 0; i < out.numel(); ++i) out.data()[i] = random.uniform() < options.dropout;
            w = masked_fill(w, out, 0) / (1 - options.dropout);
        }
        const Tensor v = given::split_heads(v_proj.forward(value), options.num_heads);
        return out_proj.forward(given::merge_heads(matmul(w, v)));
    }

private:
    // the keys of a sequence are often asked for again (once for weights, once for forward): project them once
    Tensor keys_of(const Tensor& key) {
        if (!last_key.defined() || last_key.data() != key.data() || last_key.shape() != key.shape()) {
            last_keys = given::split_heads(k_proj.forward(key), options.num_heads);
            last_key = key;
        }
        return last_keys;
    }
    nn::Bias bias() const { return options.bias ? nn::Bias::yes : nn::Bias::no; }

    AttentionOptions options;
    Index E;
    Random random;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
    Tensor last_key, last_keys;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1 || !(o.dropout >= 0 && o.dropout < 1))
        throw std::invalid_argument("options");
    if (o.head_dim && *o.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("num_heads");
    return std::make_unique<CachingAttention>(o, o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads);
}

}  // namespace headway::ex05
