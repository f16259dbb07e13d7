#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key: batch sizes");
        const Index T = q.size(2), S = k.size(2);
        const Mask wide = mask.defined() ? mask.expand({q.size(0), q.size(1), T, S}) : Mask{};
        if (options_.causal && !future_.defined()) future_ = given::causal_mask(T, S);
        Tensor w = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        for (Index b = 0; b < w.size(0); ++b)
            for (Index h = 0; h < w.size(1); ++h)
                for (Index t = 0; t < T; ++t) {
                    float top = -INFINITY, total = 0.0F;
                    for (Index s = 0; s < S; ++s) {
                        const bool later = options_.causal && future_(t, s);
                        if (later || (wide.defined() && wide(b, h, t, s))) w(b, h, t, s) = -INFINITY;
                        top = std::fmax(top, w(b, h, t, s));
                    }
                    if (top == -INFINITY) top = 0.0F;
                    for (Index s = 0; s < S; ++s) total += w(b, h, t, s) = std::exp(w(b, h, t, s) - top);
                    if (total > 0.0F) w[b][h][t] /= total;
                }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor w = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        if (v.size(0) != w.size(0) || v.size(2) != w.size(3)) throw std::invalid_argument("key and value: sizes");
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < w.numel(); ++i)
                w.data()[i] = random_.uniform() < options_.dropout ? 0.0F : w.data()[i] / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(w, v)));
    }

private:
    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Mask future_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiHeadAttention>(options, head_dim);
}

}  // namespace headway::ex05
