#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

struct Projections : nn::Module {
    nn::Linear q, k, v, out;

    Projections(Index D, Index E, nn::Bias bias, Random& random)
        : q(D, E, bias, random), k(D, E, bias, random), v(D, E, bias, random), out(E, D, bias, random) {}
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          random_(options.seed),
          p_(options.embed_dim, options.num_heads * head_dim, options.bias ? nn::Bias::yes : nn::Bias::no, random_) {
        register_module("q_proj", p_.q);
        register_module("k_proj", p_.k);
        register_module("v_proj", p_.v);
        register_module("out_proj", p_.out);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(p_.v.forward(value), options_.num_heads);
        given::Attended attended = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < attended.weights.numel(); ++i)
                attended.weights.data()[i] *=
                    random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
            attended.context = matmul(attended.weights, v);
        }
        return p_.out.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor v = given::split_heads(p_.v.forward(key), options_.num_heads);
        return mean(attend(query, key, v, mask).weights, 1);
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(p_.q.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(p_.k.forward(key), options_.num_heads);
        const Mask causal = options_.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{};
        return given::scaled_dot_product_attention(q, k, v, causal | mask);
    }

    AttentionOptions options_;
    Random random_;
    Projections p_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: positive");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: positive");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim: positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
