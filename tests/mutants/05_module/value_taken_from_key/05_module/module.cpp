#include <headway/eigen.hpp>

#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(AttentionOptions o, Index inner, nn::Bias bias)
        : o_(std::move(o)),
          random_(o_.seed),
          wq_(o_.embed_dim, inner, bias, random_),
          wk_(o_.embed_dim, inner, bias, random_),
          wv_(o_.embed_dim, inner, bias, random_),
          wo_(inner, o_.embed_dim, bias, random_),
          d_(inner / o_.num_heads) {
        register_module("q_proj", wq_);
        register_module("k_proj", wk_);
        register_module("v_proj", wv_);
        register_module("out_proj", wo_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.shape() != key.shape()) throw std::invalid_argument("key and value differ in shape");
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor keys = given::split_heads(wk_.forward(key), o_.num_heads);
        const Tensor values = given::split_heads(wv_.forward(key), o_.num_heads);
        Tensor context = Tensor::empty({keys.size(0), o_.num_heads, query.size(1), d_});
        for (Index b = 0; b < context.size(0); ++b)
            for (Index h = 0; h < o_.num_heads; ++h) {
                EigenMatrix w = as_eigen(weights[b][h]);
                if (is_training() && o_.dropout > 0.0F)
                    w = w.unaryExpr([&](float x) {
                             return random_.uniform() < o_.dropout ? 0.0F : x / (1.0F - o_.dropout);
                         }).eval();
                as_eigen(context[b][h]) = w * as_eigen(values[b][h]);
            }
        return wo_.forward(given::merge_heads(context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(wq_.forward(query), o_.num_heads);
        const Tensor k = given::split_heads(wk_.forward(key), o_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key differ in batch size");
        const Index T = q.size(2), S = k.size(2);
        const Shape full{q.size(0), o_.num_heads, T, S};
        Mask blocked = mask;
        if (o_.causal) blocked = blocked | given::causal_mask(T, S);
        if (!blocked.defined()) blocked = Mask::allow_all({1});
        blocked = blocked.expand(full);
        Tensor out = Tensor::zeros(full);
        for (Index b = 0; b < full[0]; ++b)
            for (Index h = 0; h < o_.num_heads; ++h) {
                const EigenMatrix scores =
                    as_eigen(q[b][h]) * as_eigen(k[b][h]).transpose() / std::sqrt(static_cast<float>(d_));
                for (Index t = 0; t < T; ++t) {
                    Row open(S);
                    for (Index s = 0; s < S; ++s) open(s) = blocked(b, h, t, s) ? 0.0F : 1.0F;
                    if (open.sum() == 0.0F) continue;
                    const Row row = (open > 0.5F).select(scores.row(t).array(), Row::Constant(S, -1e30F));
                    const Row e = (row - row.maxCoeff()).exp() * open;
                    as_eigen(out[b][h]).row(t) = (e / e.sum()).matrix();
                }
            }
        return out;
    }

private:
    AttentionOptions o_;
    Random random_;
    nn::Linear wq_, wk_, wv_, wo_;
    Index d_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1 || options.head_dim.value_or(1) < 1)
        throw std::invalid_argument("all widths and counts must be positive");
    if (!(options.dropout >= 0.0F) || !(options.dropout < 1.0F)) throw std::invalid_argument("dropout outside [0, 1)");
    if (!options.head_dim && options.embed_dim % options.num_heads)
        throw std::invalid_argument("heads of unequal width");
    const Index d = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<MultiHeadAttention>(options, d * options.num_heads,
                                                options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
