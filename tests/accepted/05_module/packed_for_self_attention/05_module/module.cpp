#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace headway;
using namespace headway::ex05;

namespace {

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    if (x.rank() != 3 || x.size(-1) != weight.size(1)) throw std::invalid_argument("input " + to_string(x.shape()));
    Tensor y = matmul(x, weight.transpose(0, 1));
    if (bias.defined()) y += bias;
    return y;
}

bool is_same(const Tensor& a, const Tensor& b) { return a.shares_storage_with(b) && a.layout() == b.layout(); }

template <bool causal>
class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : heads_(options.num_heads),
          p_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, inner(options), bias(options), random_),
          k_proj_(options.embed_dim, inner(options), bias(options), random_),
          v_proj_(options.embed_dim, inner(options), bias(options), random_),
          out_proj_(inner(options), options.embed_dim, bias(options), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (!is_same(query, key) || !is_same(key, value))
            return finish(project(q_proj_, query), project(k_proj_, key), project(v_proj_, value), mask);
        // packed anew in each call: the parameters may have been loaded or trained in between
        const Tensor weight = cat({q_proj_.weight, k_proj_.weight, v_proj_.weight}, 0);
        const Tensor bias = q_proj_.bias.defined() ? cat({q_proj_.bias, k_proj_.bias, v_proj_.bias}, 0) : Tensor{};
        const Tensor packed = affine(query, weight, bias);
        const Index E = q_proj_.weight.size(0);
        return finish(split(packed.slice(2, 0, E)), split(packed.slice(2, E, 2 * E)),
                      split(packed.slice(2, 2 * E, 3 * E)), mask);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(project(q_proj_, query), project(k_proj_, key), mask);
    }

private:
    static nn::Bias bias(const AttentionOptions& options) { return options.bias ? nn::Bias::yes : nn::Bias::no; }
    static Index inner(const AttentionOptions& options) {
        return options.num_heads * options.head_dim.value_or(options.embed_dim / options.num_heads);
    }

    Tensor split(const Tensor& x) const {
        const Index d = x.size(2) / heads_;
        return x.as_strided({x.size(0), heads_, x.size(1), d},
                            {x.strides()[0], d * x.strides()[2], x.strides()[1], x.strides()[2]});
    }

    Tensor project(const nn::Linear& linear, const Tensor& x) const {
        return split(affine(x, linear.weight, linear.bias));
    }

    Tensor attend(const Tensor& q, const Tensor& k, const Mask& mask) const {
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key differ in B");
        const float scale = 1 / std::sqrt(static_cast<float>(q.size(3)));
        const Tensor scores = matmul(q * scale, k.transpose(2, 3));
        Mask blocked = mask;
        if constexpr (causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        const Tensor low = masked_fill(scores, blocked, std::numeric_limits<float>::lowest() / 4);
        const Tensor e = masked_fill(exp(low - max(low, -1, KeepAxis::yes)), blocked, 0);
        Tensor total = sum(e, -1, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] == 0) total.data()[i] = 1;
        return e / total;
    }

    Tensor finish(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
        if (k.size(0) != v.size(0) || k.size(2) != v.size(2)) throw std::invalid_argument("key and value differ");
        Tensor weights = attend(q, k, mask);
        if (is_training() && p_ > 0) {
            weights /= 1 - p_;
            for (Index i = 0; i < weights.numel(); ++i)
                if (random_.uniform() < p_) weights.data()[i] = 0;
        }
        return affine(given::merge_heads(matmul(weights, v)), out_proj_.weight, out_proj_.bias);
    }

    Index heads_;
    float p_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> headway::ex05::make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads >= 1");
    if (!(options.dropout >= 0 && options.dropout < 1)) throw std::invalid_argument("0 <= dropout < 1");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim");
    if (options.causal) return std::make_unique<MultiHeadAttention<true>>(options);
    return std::make_unique<MultiHeadAttention<false>>(options);
}
