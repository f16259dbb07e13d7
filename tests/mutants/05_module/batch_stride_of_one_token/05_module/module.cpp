#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Where head h of token t in sequence b begins.
struct Strided {
    const float* data;
    Index batch, token, head;

    const float* at(Index b, Index t, Index h) const { return data + b * batch + t * token + h * head; }
};

class StridedAttention : public Attention {
public:
    StridedAttention(const AttentionOptions& options, Index head_dim)
        : H(options.num_heads),
          d(head_dim),
          E(H * d),
          options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, random_),
          k_proj_(options.embed_dim, E, bias_, random_),
          v_proj_(options.embed_dim, E, bias_, random_),
          out_proj_(E, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("query, key: (B, length, D)");
        const Index B = query.size(0), T = query.size(1), S = key.size(1);
        if (key.size(0) != B) throw std::invalid_argument("query, key: B differs");
        const Tensor q = q_proj_.forward(query).contiguous(), k = k_proj_.forward(key).contiguous();
        const Strided queries{q.data(), E, E, d}, keys{k.data(), S * E, E, d};
        Mask blocked = options_.causal ? mask | given::causal_mask(T, S) : mask;
        if (blocked.defined()) blocked = blocked.expand({B, H, T, S});
        Tensor weights = Tensor::zeros({B, H, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    Tensor row = weights[b][h][t];
                    float top = std::numeric_limits<float>::lowest();
                    for (Index s = 0; s < S; ++s) {
                        if (blocked.defined() && blocked(b, h, t, s)) continue;
                        for (Index i = 0; i < d; ++i) row(s) += queries.at(b, t, h)[i] * keys.at(b, s, h)[i];
                        row(s) /= std::sqrt(static_cast<float>(d));
                        top = std::fmax(top, row(s));
                    }
                    float total = 0.0F;
                    for (Index s = 0; s < S; ++s) {
                        row(s) = blocked.defined() && blocked(b, h, t, s) ? 0.0F : std::exp(row(s) - top);
                        total += row(s);
                    }
                    if (total > 0.0F) row /= total;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || value.shape() != key.shape()) throw std::invalid_argument("key, value: shapes differ");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        const Tensor v = given::split_heads(v_proj_.forward(value), H);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    const Index H, d, E;
    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: >= 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: [0, 1)");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim: >= 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim: k * num_heads");
    return std::make_unique<StridedAttention>(options,
                                              options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
