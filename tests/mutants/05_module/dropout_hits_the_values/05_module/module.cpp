#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

void require(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

struct Settings {
    Index D, H, d;
    bool causal;
    float dropout;
    std::uint64_t seed;
};

class AttentionLayer final : public Attention {
public:
    AttentionLayer(const Settings& settings, nn::Bias bias) : set_(settings), rng_(settings.seed) {
        const Index E = set_.H * set_.d;
        q_ = std::make_unique<nn::Linear>(set_.D, E, bias, rng_);
        k_ = std::make_unique<nn::Linear>(set_.D, E, bias, rng_);
        v_ = std::make_unique<nn::Linear>(set_.D, E, bias, rng_);
        o_ = std::make_unique<nn::Linear>(E, set_.D, bias, rng_);
        register_module("q_proj", *q_);
        register_module("k_proj", *k_);
        register_module("v_proj", *v_);
        register_module("out_proj", *o_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.rank() != 3 || key.rank() != 3 || key.size(0) != value.size(0) || key.size(1) != value.size(1))
            throw std::invalid_argument("forward: key and value must be of equal length");
        const Tensor w = attention_weights(query, key, mask);
        const Tensor v = dropped(given::split_heads(v_->forward(value), set_.H));
        return o_->forward(given::merge_heads(matmul(w, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_->forward(query), set_.H);
        const Tensor k = given::split_heads(k_->forward(key), set_.H);
        return attend(q, k, mask);
    }

private:
    Tensor attend(const Tensor& q, const Tensor& k, Mask mask) const {
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key must be of one batch");
        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(set_.d));
        if (set_.causal) mask = mask | given::causal_mask(q.size(2), k.size(2));
        const Tensor lowered = masked_fill(scores, mask, -1e30F);
        const Tensor e = masked_fill(exp(lowered - max(lowered, -1, KeepAxis::yes)), mask, 0.0F);
        Tensor z = sum(e, -1, KeepAxis::yes);
        for (Index i = 0; i < z.numel(); ++i)
            if (z.data()[i] == 0.0F) z.data()[i] = 1.0F;
        return e / z;
    }

    Tensor dropped(const Tensor& w) {
        if (!is_training() || set_.dropout == 0.0F) return w;
        Tensor factor = Tensor::full(w.shape(), 1.0F / (1.0F - set_.dropout));
        float* f = factor.data();
        for (Index i = 0; i < factor.numel(); ++i)
            if (rng_.uniform() < set_.dropout) f[i] = 0.0F;
        return w * factor;
    }

    Settings set_;
    Random rng_;
    std::unique_ptr<nn::Linear> q_, k_, v_, o_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    require(options.embed_dim > 0 && options.num_heads > 0, "embed_dim and num_heads must be positive");
    require(options.dropout >= 0.0F && options.dropout < 1.0F, "dropout must be in [0, 1)");
    if (!options.head_dim) require(options.embed_dim % options.num_heads == 0, "embed_dim does not divide");
    const Index d = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    require(d > 0, "head_dim must be positive");
    const Settings settings{options.embed_dim, options.num_heads, d, options.causal, options.dropout, options.seed};
    return std::make_unique<AttentionLayer>(settings, options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
