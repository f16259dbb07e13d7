#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

Tensor softmax(const Tensor& x) {
    const Tensor e = exp(x - max(x, -1, KeepAxis::yes));
    return e / sum(e, -1, KeepAxis::yes);
}

class Mha : public Attention {
public:
    Mha(Index D, Index H, Index d, nn::Bias bias, bool causal, float p, Random random)
        : H_(H),
          d_(d),
          causal_(causal),
          p_(p),
          q_(D, H * d, bias, random),
          k_(D, H * d, bias, random),
          v_(D, H * d, bias, random),
          o_(H * d, D, bias, random),
          random_(random) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", o_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("attention_weights: query " + to_string(query.shape()) + ", key " +
                                        to_string(key.shape()));
        const Tensor q = given::split_heads(q_.forward(query), H_), k = given::split_heads(k_.forward(key), H_);
        Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d_));
        scores = masked_fill(scores, mask, -INFINITY);
        if (causal_) scores = masked_fill(scores, given::causal_mask(q.size(2), k.size(2)), -INFINITY);
        return softmax(scores);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor weights = attention_weights(query, key, mask);
        if (value.rank() != 3 || value.size(0) != key.size(0) || value.size(1) != key.size(1))
            throw std::invalid_argument("forward: value " + to_string(value.shape()));
        const Tensor v = given::split_heads(v_.forward(value), H_);
        return o_.forward(given::merge_heads(matmul(is_training() ? dropout(weights) : weights, v)));
    }

private:
    Tensor dropout(const Tensor& weights) {
        Tensor keep = random_.uniform(weights.shape(), 0.0F, 1.0F);
        for (Index i = 0; i < keep.numel(); ++i) keep.data()[i] = keep.data()[i] < p_ ? 0.0F : 1.0F / (1.0F - p_);
        return weights * keep;
    }

    Index H_, d_;
    bool causal_;
    float p_;
    nn::Linear q_, k_, v_, o_;
    Random random_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("options: embed_dim or num_heads < 1");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("options: dropout outside [0, 1)");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("options: embed_dim % num_heads");
    const Index d = o.head_dim.value_or(o.embed_dim / o.num_heads);
    if (d < 1) throw std::invalid_argument("options: head_dim < 1");
    return std::make_unique<Mha>(o.embed_dim, o.num_heads, d, o.bias ? nn::Bias::yes : nn::Bias::no, o.causal,
                                 o.dropout, Random(o.seed));
}

}  // namespace headway::ex05
