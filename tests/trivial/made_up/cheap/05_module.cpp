#include <headway/given.hpp>
#include <headway/random.hpp>
#include <memory>
#include <stdexcept>
#include "module.hpp"
// No attention at all: out_proj(q_proj(query)); key, value and mask are ignored.
namespace headway::ex05 {
namespace {
struct Nothing : Attention {
    Nothing(const AttentionOptions& o, Index E, nn::Bias b)
        : options(o),
          random(o.seed),
          q(o.embed_dim, E, b, random),
          k(o.embed_dim, E, b, random),
          v(o.embed_dim, E, b, random),
          out(E, o.embed_dim, b, random) {
        register_module("q_proj", q);
        register_module("k_proj", k);
        register_module("v_proj", v);
        register_module("out_proj", out);
    }
    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask&) override {
        if (query.rank() != 3 || key.shape() != value.shape() || query.size(2) != options.embed_dim ||
            query.size(0) != key.size(0))
            throw std::invalid_argument("shape");
        Tensor y = out.forward(q.forward(query));
        if (is_training() && options.dropout > 0) y *= 1 + random.uniform();
        return y;
    }
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask&) override {
        return Tensor::zeros({query.size(0), options.num_heads, query.size(1), key.size(1)});
    }
    AttentionOptions options;
    Random random;
    nn::Linear q, k, v, out;
};
}  // namespace
std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1 || o.num_heads < 1 || !(o.dropout >= 0 && o.dropout < 1) || (o.head_dim && *o.head_dim < 1) ||
        (!o.head_dim && o.embed_dim % o.num_heads != 0))
        throw std::invalid_argument("options");
    const Index d = o.head_dim.value_or(o.embed_dim / o.num_heads);
    return std::make_unique<Nothing>(o, d * o.num_heads, o.bias ? nn::Bias::yes : nn::Bias::no);
}
}  // namespace headway::ex05
