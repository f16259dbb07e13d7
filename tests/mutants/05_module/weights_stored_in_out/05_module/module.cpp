#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// y = x · w + b, the way project_output had it in exercise 04.
class Projection : public nn::Module {
public:
    Projection(Index in, Index out, bool with_bias, Random& random) {
        const float bound = 1.0F / std::sqrt(static_cast<float>(in));
        w_ = random.uniform({in, out}, -bound, bound);
        register_parameter("weight", w_);
        if (with_bias) {
            b_ = random.uniform({out}, -bound, bound);
            register_parameter("bias", b_);
        }
    }

    Tensor operator()(const Tensor& x) const {
        if (x.rank() != 3 || x.size(2) != w_.size(0))
            throw std::invalid_argument("Projection: (B, length, " + std::to_string(w_.size(0)) + ") is needed, not " +
                                        to_string(x.shape()));
        const Tensor xw = matmul(x, w_);
        return b_.defined() ? xw + b_ : xw;
    }

private:
    Tensor w_, b_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index E)
        : o_(o),
          random_(o.seed),
          q_proj_(o.embed_dim, E, o.bias, random_),
          k_proj_(o.embed_dim, E, o.bias, random_),
          v_proj_(o.embed_dim, E, o.bias, random_),
          out_proj_(E, o.embed_dim, o.bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(v_proj_(value));
        given::Attended both = given::scaled_dot_product_attention(split(q_proj_(query)), split(k_proj_(key)), v,
                                                                   mask | future(query, key));
        if (is_training() && o_.dropout > 0.0F) {
            const float up = 1.0F / (1.0F - o_.dropout);
            for (Index i = 0; i < both.weights.numel(); ++i)
                both.weights.data()[i] = random_.uniform() < o_.dropout ? 0.0F : up * both.weights.data()[i];
            both.context = matmul(both.weights, v);
        }
        return out_proj_(given::merge_heads(both.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = split(q_proj_(query)), k = split(k_proj_(key));
        return given::scaled_dot_product_attention(q, k, k, mask | future(query, key)).weights;
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, o_.num_heads); }
    Mask future(const Tensor& query, const Tensor& key) const {
        if (!o_.causal) return {};
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query and key have three axes");
        return given::causal_mask(query.size(1), key.size(1));
    }

    AttentionOptions o_;
    Random random_;
    Projection q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1) throw std::invalid_argument("embed_dim and num_heads start at one");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout lies in [0, 1)");
    if (o.head_dim) {
        if (*o.head_dim < 1) throw std::invalid_argument("head_dim starts at one");
        return std::make_unique<MultiHeadAttention>(o, *o.head_dim * o.num_heads);
    }
    if (o.embed_dim % o.num_heads != 0) throw std::invalid_argument("num_heads does not divide embed_dim");
    return std::make_unique<MultiHeadAttention>(o, o.embed_dim);
}

}  // namespace headway::ex05
