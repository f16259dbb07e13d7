#include "module.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

class Heads;  // q, k and v of one call, already split

class BiasedAttention : public Attention {
    friend class Heads;

public:
    explicit BiasedAttention(const AttentionOptions& options, Index E)
        : H(options.num_heads),
          causal(options.causal),
          p(options.dropout),
          random(options.seed),
          bias(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj(options.embed_dim, E, bias, random),
          k_proj(options.embed_dim, E, bias, random),
          v_proj(options.embed_dim, E, bias, random),
          out_proj(E, options.embed_dim, nn::Bias::no, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override;
    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override;

private:
    Index H;
    bool causal;
    float p;
    Random random;
    nn::Bias bias;
    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

class Heads {
public:
    Heads(const BiasedAttention& a, const Tensor& query, const Tensor& key, const Tensor& value)
        : q(given::split_heads(a.q_proj.forward(query), a.H)),
          k(given::split_heads(a.k_proj.forward(key), a.H)),
          v(given::split_heads(a.v_proj.forward(value), a.H)),
          causal(a.causal ? given::causal_mask(q.size(2), k.size(2)) : Mask{}) {}

    Tensor weights(const Mask& mask) const {
        return given::scaled_dot_product_attention(q, k, v, mask | causal).weights;
    }

    const Tensor q, k, v;
    const Mask causal;
};

Tensor BiasedAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) {
    const Heads heads(*this, query, key, value);
    Tensor w = heads.weights(mask);
    if (is_training() && p > 0.0F) {
        std::vector<float> factor{0.0F, 1.0F / (1.0F - p)};
        for (Index i = 0; i < w.numel(); ++i) w.data()[i] *= factor[random.uniform() < p ? 0 : 1];
    }
    return out_proj.forward(given::merge_heads(matmul(w, heads.v)));
}

Tensor BiasedAttention::attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) {
    return Heads(*this, query, key, key).weights(mask);
}

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    if (options.head_dim) return std::make_unique<BiasedAttention>(options, *options.head_dim * options.num_heads);
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("embed_dim % num_heads");
    return std::make_unique<BiasedAttention>(options, options.embed_dim);
}

}  // namespace headway::ex05
