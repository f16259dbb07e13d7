#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// What a projection needs at run time: the weight as (in, out), so that x · w walks through memory in order.
struct Packed {
    Tensor weight;
    Tensor bias;

    explicit Packed(const nn::Linear& linear)
        : weight(linear.weight.transpose(0, 1).contiguous()),
          bias(linear.bias.defined() ? linear.bias.clone() : Tensor{}) {}

    Tensor operator()(const Tensor& x) const {
        if (x.rank() != 3 || x.size(-1) != weight.size(0)) throw std::invalid_argument("projection: wrong input width");
        const Tensor y = matmul(x, weight);
        return bias.defined() ? y + bias : y;
    }
};

class FastAttention final : public Attention {
public:
    FastAttention(const AttentionOptions& o, Index E, Random random)
        : o_(o),
          q_proj_(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          k_proj_(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          v_proj_(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj_(E, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          to_q_(q_proj_),
          to_k_(k_proj_),
          to_v_(v_proj_),
          to_out_(out_proj_),
          random_(random) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(to_v_(value), o_.num_heads);
        given::Attended a = attend(to_q_(query), to_k_(key), v, mask);
        if (is_training() && o_.dropout > 0.0F) {
            for (Index i = 0; i < a.weights.numel(); ++i)
                a.weights.data()[i] *= random_.uniform() < o_.dropout ? 0.0F : 1.0F / (1.0F - o_.dropout);
            a.context = matmul(a.weights, v);
        }
        return to_out_(given::merge_heads(a.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = to_k_(key);
        return attend(to_q_(query), k, given::split_heads(k, o_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) const {
        const Mask all = o_.causal ? mask | given::causal_mask(q.size(1), k.size(1)) : mask;
        return given::scaled_dot_product_attention(given::split_heads(q, o_.num_heads),
                                                   given::split_heads(k, o_.num_heads), v, all);
    }

    AttentionOptions o_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Packed to_q_, to_k_, to_v_, to_out_;
    Random random_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads >= 1");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim >= 1, or embed_dim divisible by num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout in [0, 1)");
    const Index E = options.head_dim ? options.num_heads * *options.head_dim : options.embed_dim;
    return std::make_unique<FastAttention>(options, E, Random(options.seed));
}

}  // namespace headway::ex05
