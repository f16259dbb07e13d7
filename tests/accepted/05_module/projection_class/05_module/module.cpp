#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// (B, T, D) -> (B, H, T, d). Being a Linear, it has the parameters `weight` and `bias`.
class HeadProjection : public nn::Linear {
public:
    HeadProjection(Index D, Index H, Index d, nn::Bias with_bias, Random& random)
        : Linear(D, H * d, with_bias, random), heads_(H) {}

    Tensor operator()(const Tensor& x) const {
        if (x.rank() != 3) throw std::invalid_argument("projection needs (B, T, D), not " + to_string(x.shape()));
        return given::split_heads(forward(x), heads_);
    }

private:
    Index heads_;
};

struct Config {
    Index D, H, d;
    nn::Bias bias;
    bool causal;
    float dropout;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const Config& config, std::uint64_t seed)
        : config_(config),
          random_(seed),
          q_proj(config.D, config.H, config.d, config.bias, random_),
          k_proj(config.D, config.H, config.d, config.bias, random_),
          v_proj(config.D, config.H, config.d, config.bias, random_),
          out_proj(config.H * config.d, config.D, config.bias, random_) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return weights(q_proj(query), k_proj(key), mask);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor q = q_proj(query), k = k_proj(key), v = v_proj(value);
        if (k.size(0) != v.size(0) || k.size(2) != v.size(2)) throw std::invalid_argument("key and value differ");
        const Tensor context = matmul(dropped(weights(q, k, mask)), v);
        return out_proj.forward(given::merge_heads(context));
    }

private:
    Tensor weights(const Tensor& q, const Tensor& k, const Mask& mask) const {
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key differ in batch size");
        const float root = std::pow(static_cast<float>(config_.d), 0.25F);
        const Tensor scores = matmul(q / root, (k / root).transpose(2, 3));
        Tensor filled = masked_fill(scores, mask, -INFINITY);
        if (config_.causal) filled = masked_fill(filled, given::causal_mask(q.size(2), k.size(2)), -INFINITY);
        Tensor top = max(filled, 3, KeepAxis::yes);
        Tensor e = filled - masked_fill(top, where(top, -INFINITY), 0);
        e = exp(e);
        const Tensor total = sum(e, 3, KeepAxis::yes);
        return e / masked_fill(total, where(total, 0), 1);
    }

    static Mask where(const Tensor& x, float value) {
        Mask equal = Mask::allow_all(x.shape());
        for (Index i = 0; i < x.numel(); ++i) equal.data()[i] = x.data()[i] == value;
        return equal;
    }

    Tensor dropped(const Tensor& weights) {
        if (!is_training()) return weights;
        const Tensor draws = random_.uniform(weights.shape(), 0, 1);
        Mask drop = Mask::allow_all(weights.shape());
        for (Index i = 0; i < draws.numel(); ++i) drop.data()[i] = draws.data()[i] < config_.dropout;
        return masked_fill(weights, drop, 0) / (1 - config_.dropout);
    }

    Config config_;
    Random random_;
    HeadProjection q_proj, k_proj, v_proj;
    nn::Linear out_proj;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const Index D = options.embed_dim, H = options.num_heads;
    if (D < 1 || H < 1 || !(options.dropout >= 0 && options.dropout < 1)) throw std::invalid_argument("bad options");
    if (!options.head_dim && D % H != 0) throw std::invalid_argument("embed_dim must be a multiple of num_heads");
    const Index d = options.head_dim.value_or(D / H);
    if (d < 1) throw std::invalid_argument("head_dim must be at least 1");
    const Config config{.D = D,
                        .H = H,
                        .d = d,
                        .bias = options.bias ? nn::Bias::yes : nn::Bias::no,
                        .causal = options.causal,
                        .dropout = options.dropout};
    return std::make_unique<MultiHeadAttention>(config, options.seed);
}

}  // namespace headway::ex05
