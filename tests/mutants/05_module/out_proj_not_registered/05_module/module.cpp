#include "module.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Query, key and value projection in one place.
class Projections {
public:
    Projections(Index D, Index E, nn::Bias bias, Random& random)
        : q(D, E, bias, random), k(D, E, bias, random), v(D, E, bias, random) {}

    void each(const std::function<void(const char*, nn::Linear&)>& visit) {
        visit("q_proj", q);
        visit("k_proj", k);
        visit("v_proj", v);
    }

    nn::Linear q, k, v;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index head_dim)
        : num_heads_(o.num_heads),
          head_dim_(head_dim),
          causal_(o.causal),
          dropout_(o.dropout),
          random_(o.seed),
          in_(o.embed_dim, o.num_heads * head_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random_),
          out_(o.num_heads * head_dim, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random_) {
        in_.each([this](const char* name, nn::Linear& linear) { register_module(name, linear); });
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        if (value.rank() != 3 || value.size(0) != weights.size(0) || value.size(1) != weights.size(3))
            throw std::invalid_argument("forward: value must be (B, S, D)");
        if (is_training() && dropout_ > 0.0F) {
            Tensor thinned = Tensor::zeros(weights.shape());
            for (Index i = 0; i < weights.numel(); ++i)
                if (!(random_.uniform() < dropout_)) thinned.data()[i] = weights.data()[i] / (1.0F - dropout_);
            weights = thinned;
        }
        return out_.forward(given::merge_heads(matmul(weights, given::split_heads(in_.v.forward(value), num_heads_))));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0))
            throw std::invalid_argument("attention: query must be (B, T, D) and key (B, S, D)");
        const Tensor q = given::split_heads(in_.q.forward(query), num_heads_);
        const Tensor k = given::split_heads(in_.k.forward(key), num_heads_);
        const Mask blocked = causal_ ? given::causal_mask(q.size(2), k.size(2)) | mask : mask;
        const Tensor scores =
            masked_fill(matmul(q, k.transpose(-2, -1)), blocked, -INFINITY) / std::sqrt(static_cast<float>(head_dim_));
        Tensor top = max(scores, 3, KeepAxis::yes);
        for (Index i = 0; i < top.numel(); ++i)
            if (std::isinf(top.data()[i])) top.data()[i] = 0.0F;
        const Tensor e = exp(scores - top);
        Tensor total = sum(e, 3, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
        return e / total;
    }

private:
    Index num_heads_, head_dim_;
    bool causal_;
    float dropout_;
    Random random_;
    Projections in_;
    nn::Linear out_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be >= 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim) {
        if (*options.head_dim < 1) throw std::invalid_argument("head_dim must be >= 1");
        return std::make_unique<MultiHeadAttention>(options, *options.head_dim);
    }
    if (options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads, or head_dim be given");
    return std::make_unique<MultiHeadAttention>(options, options.embed_dim / options.num_heads);
}

}  // namespace headway::ex05
