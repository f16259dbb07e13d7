#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {

namespace {
Tensor softmax_last(Tensor scores, const Mask& mask) {
    scores = masked_fill(scores, mask, -INFINITY);
    Tensor out = Tensor::zeros(scores.shape());
    const Index S = scores.size(-1);
    const Index rows = S == 0 ? 0 : scores.numel() / S;
    for (Index r = 0; r < rows; ++r) {
        const float* in = scores.data() + r * S;
        float* w = out.data() + r * S;
        float m = -INFINITY, z = 0.0F;
        for (Index s = 0; s < S; ++s) m = std::fmax(m, in[s]);
        if (std::isinf(m)) continue;  // nothing to see in this row: leave the zeros
        for (Index s = 0; s < S; ++s) z += w[s] = std::exp(in[s] - m);
        for (Index s = 0; s < S; ++s) w[s] /= z;
    }
    return out;
}
}  // namespace

class MyMultiHead : public Attention {
    Index heads_, width_;
    float p_;
    bool causal_;
    Random rng_;
    nn::Linear q_, k_, v_, o_;

    Tensor heads_of(const nn::Linear& proj, const Tensor& x) const {
        return given::split_heads(proj.forward(x), heads_);
    }

    Mask complete(const Mask& mask, Index T, Index S) const {
        if (!causal_) return mask;
        return mask | given::causal_mask(T, S);
    }

    static void check(const Tensor& a, const Tensor& b, const char* names) {
        if (a.rank() != 3 || b.rank() != 3 || a.size(0) != b.size(0))
            throw std::invalid_argument(std::string("(B, length, D) with one B needed for ") + names);
    }

public:
    MyMultiHead(Index D, Index H, Index d, const AttentionOptions& rest)
        : heads_(H),
          width_(d),
          p_(rest.dropout),
          causal_(rest.causal),
          rng_(rest.seed),
          q_(D, H * d, static_cast<nn::Bias>(rest.bias), rng_),
          k_(D, H * d, static_cast<nn::Bias>(rest.bias), rng_),
          v_(D, H * d, static_cast<nn::Bias>(rest.bias), rng_),
          o_(H * d, D, static_cast<nn::Bias>(rest.bias), rng_) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", o_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(query, key, "query and key");
        check(key, value, "key and value");
        if (key.size(1) != value.size(1)) throw std::invalid_argument("as many values as keys are needed");
        Tensor scores = matmul(heads_of(q_, query), heads_of(k_, key).transpose(-1, -2));
        scores /= std::sqrt(static_cast<float>(width_));
        Tensor weights = softmax_last(scores, complete(mask, query.size(1), key.size(1)));
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i) {
                float& w = weights.data()[i];
                w = rng_.uniform() >= p_ ? w / (1.0F - p_) : 0.0F;
            }
        return o_.forward(given::merge_heads(matmul(weights, heads_of(v_, value))));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key, "query and key");
        const Tensor scores = matmul(heads_of(q_, query), heads_of(k_, key).transpose(-1, -2));
        return softmax_last(scores, complete(mask, query.size(1), key.size(1)));
    }
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    auto refuse = [](const char* why) { throw std::invalid_argument(why); };
    if (options.embed_dim < 1) refuse("embed_dim");
    if (options.num_heads < 1) refuse("num_heads");
    if (!(options.dropout >= 0.0F) || options.dropout >= 1.0F) refuse("dropout");
    Index d = 0;
    if (options.head_dim) {
        d = *options.head_dim;
        if (d < 1) refuse("head_dim");
    } else {
        if (options.embed_dim % options.num_heads != 0) refuse("embed_dim / num_heads");
        d = options.embed_dim / options.num_heads;
    }
    return std::make_unique<MyMultiHead>(options.embed_dim, options.num_heads, d, options);
}

}  // namespace headway::ex05
