#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class Heads : public Attention {
public:
    Heads(const AttentionOptions& o, Index E, nn::Bias bias)
        : H(o.num_heads),
          causal(o.causal),
          p(o.dropout),
          random(o.seed),
          q_proj(o.embed_dim, E, bias, random),
          k_proj(o.embed_dim, E, bias, random),
          v_proj(o.embed_dim, E, bias, random),
          out_proj(E, o.embed_dim, bias, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj.forward(query), H);
        const Tensor k = given::split_heads(k_proj.forward(key), H);
        if (first_mask.defined() == false && causal) first_mask = given::causal_mask(q.size(2), k.size(2));
        const Mask m = causal ? mask | crop(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, k, m).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("forward");
        Tensor w = attention_weights(query, key, mask);
        if (is_training() && p > 0) w = dropped(w);
        const Tensor v = given::split_heads(v_proj.forward(value), H);
        return out_proj.forward(given::merge_heads(matmul(w, v)));
    }

private:
    Tensor dropped(const Tensor& w) {
        Tensor out = Tensor::zeros(w.shape());
        const Tensor in = w.contiguous();
        for (Index i = 0; i < in.numel(); ++i) out.data()[i] = random.uniform() < p ? 0 : in.data()[i] / (1 - p);
        return out;
    }

    Index H;
    bool causal;
    float p;
    Random random;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
    Mask first_mask;  // made at the first call, as large as that call needs
    Mask crop(Index T, Index S) {
        if (first_mask.size(0) < T || first_mask.size(1) < S) first_mask = given::causal_mask(T, S);
        return first_mask.as_strided({T, S}, first_mask.strides(), 0);
    }
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1 || !(o.dropout >= 0 && o.dropout < 1))
        throw std::invalid_argument("options");
    if (o.head_dim ? *o.head_dim < 1 : o.embed_dim % o.num_heads != 0) throw std::invalid_argument("head_dim");
    return std::make_unique<Heads>(o, o.num_heads * o.head_dim.value_or(o.embed_dim / o.num_heads),
                                   o.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
