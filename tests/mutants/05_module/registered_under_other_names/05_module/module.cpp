#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

// Notation of "Attention Is All You Need": W_q, W_k, W_v, W_o.
struct Paper : Attention {
    const AttentionOptions o;
    const Index h = o.num_heads, d_k = o.head_dim.value_or(o.embed_dim / h);
    const nn::Bias bias = o.bias ? nn::Bias::yes : nn::Bias::no;
    Random random{o.seed};
    nn::Linear w_q{o.embed_dim, h* d_k, bias, random};
    nn::Linear w_k{o.embed_dim, h* d_k, bias, random};
    nn::Linear w_v{o.embed_dim, h* d_k, bias, random};
    nn::Linear w_o{h * d_k, o.embed_dim, bias, random};

    explicit Paper(const AttentionOptions& options) : o(options) {
        register_module("w_q", w_q);
        register_module("w_k", w_k);
        register_module("w_v", w_v);
        register_module("w_o", w_o);
    }

    static void expect(bool shape_fits) {
        if (!shape_fits) throw std::invalid_argument("a shape does not fit");
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        expect(query.rank() == 3 && key.rank() == 3);
        expect(query.size(0) == key.size(0));
        const Index n = query.size(0), T = query.size(1), S = key.size(1);
        const Tensor Q = w_q.forward(query), K = w_k.forward(key);
        const Mask closed = mask.defined() ? mask.expand({n, h, T, S}) : Mask::allow_all({n, h, T, S});
        Tensor A = Tensor::zeros({n, h, T, S});
        for (Index b = 0; b < n; ++b)
            for (Index i = 0; i < h; ++i) {
                // QKᵀ / √d_k of head i
                const Tensor Qi = Q[b].slice(1, i * d_k, (i + 1) * d_k), Ki = K[b].slice(1, i * d_k, (i + 1) * d_k);
                Tensor Ai = A[b][i];
                Ai.copy_from(matmul(Qi, Ki.transpose(0, 1)) / std::sqrt(static_cast<float>(d_k)));
                for (Index t = 0; t < T; ++t) {
                    const auto seen = [&](Index s) { return !closed(b, i, t, s) && !(o.causal && s > t + (S - T)); };
                    float m = -INFINITY, z = 0.0F;
                    for (Index s = 0; s < S; ++s)
                        if (seen(s)) m = std::max<float>(m, Ai(t, s));
                    for (Index s = 0; s < S; ++s) {
                        Ai(t, s) = seen(s) ? std::exp(Ai(t, s) - m) : 0.0F;
                        z += Ai(t, s);
                    }
                    for (Index s = 0; s < S; ++s)
                        if (z > 0.0F) Ai(t, s) /= z;
                }
            }
        return A;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        expect(value.rank() == 3 && key.rank() == 3 && value.size(0) == key.size(0) && value.size(1) == key.size(1));
        Tensor A = attention_weights(query, key, mask);
        if (is_training() && o.dropout > 0.0F)
            for (Index i = 0; i < A.numel(); ++i)
                A.data()[i] = random.uniform() < o.dropout ? 0.0F : A.data()[i] / (1.0F - o.dropout);
        const Tensor V = given::split_heads(w_v.forward(value), h);
        return w_o.forward(given::merge_heads(matmul(A, V)));
    }
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("d_model, h >= 1");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("d_k >= 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("h must divide d_model");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("0 <= P_drop < 1");
    return std::make_unique<Paper>(options);
}

}  // namespace headway::ex05
