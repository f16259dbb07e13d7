#include "module.hpp"

#include <random>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class Mha : public Attention {
public:
    Mha(const AttentionOptions& o, Index E, nn::Bias bias, Random&& init)
        : H(o.num_heads),
          causal(o.causal),
          drop(o.dropout),
          q_proj(o.embed_dim, E, bias, init),
          k_proj(o.embed_dim, E, bias, init),
          v_proj(o.embed_dim, E, bias, init),
          out_proj(E, o.embed_dim, bias, init) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj.forward(query), H);
        const Tensor k = given::split_heads(k_proj.forward(key), H);
        const Mask m = causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, k, m).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("forward");
        Tensor w = attention_weights(query, key, mask);
        if (is_training() && drop.p() > 0) {
            const float up = 1.0f / (1.0f - float(drop.p()));
            for (float *p = w.data(), *end = p + w.numel(); p != end; ++p) *p = drop(engine) ? 0.0f : *p * up;
        }
        return out_proj.forward(given::merge_heads(matmul(w, given::split_heads(v_proj.forward(value), H))));
    }

private:
    Index H;
    bool causal;
    std::mt19937 engine{std::random_device{}()};
    std::bernoulli_distribution drop;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1 || !(o.dropout >= 0 && o.dropout < 1))
        throw std::invalid_argument("options");
    if (o.head_dim ? *o.head_dim < 1 : o.embed_dim % o.num_heads != 0) throw std::invalid_argument("head_dim");
    return std::make_unique<Mha>(o, o.num_heads * o.head_dim.value_or(o.embed_dim / o.num_heads),
                                 o.bias ? nn::Bias::yes : nn::Bias::no, Random(o.seed));
}

}  // namespace headway::ex05
