#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

struct Sizes {
    Index B, T, S;
};

Sizes sizes_of(const Tensor& query, const Tensor& key, const Tensor& value) {
    if (query.rank() != 3 || key.rank() != 3 || value.rank() != 3)
        throw std::invalid_argument("query, key and value are (B, length, D)");
    if (query.size(0) != key.size(0) || key.size(0) != value.size(0))
        throw std::invalid_argument("query, key and value are of one batch");
    if (key.shape() != value.shape()) throw std::invalid_argument("key and value have one shape");
    return {query.size(0), query.size(1), key.size(1)};
}

class Attend : public Attention {
public:
    Attend(const AttentionOptions& o, Index d)
        : H_(o.num_heads), d_(d), D_(o.embed_dim), causal_(o.causal), p_(o.dropout), random_(o.seed) {
        const nn::Bias bias = o.bias ? nn::Bias::yes : nn::Bias::no;
        q_ = std::make_unique<nn::Linear>(D_, H_ * d_, bias, random_);
        k_ = std::make_unique<nn::Linear>(D_, H_ * d_, bias, random_);
        v_ = std::make_unique<nn::Linear>(D_, H_ * d_, bias, random_);
        o_ = std::make_unique<nn::Linear>(H_ * d_, D_, bias, random_);
        register_module("q_proj", *q_);
        register_module("k_proj", *k_);
        register_module("v_proj", *v_);
        register_module("out_proj", *o_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Sizes n = sizes_of(query, key, key);
        return weigh(q_->forward(query), k_->forward(key), mask, n);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Sizes n = sizes_of(query, key, value);
        const Tensor k = k_->forward(key);
        const Tensor w = weigh(q_->forward(query), k, mask, n);
        Tensor gathered = Tensor::zeros({n.B, n.T, H_ * d_});
        for (Index b = 0; b < n.B; ++b)
            for (Index t = 0; t < n.T; ++t)
                for (Index c = 0; c < H_ * d_; ++c) gathered(b, t, c) = 0;
        for (Index b = 0; b < n.B; ++b)
            for (Index h = 0; h < H_; ++h)
                for (Index t = 0; t < n.T; ++t)
                    for (Index s = 0; s < n.S; ++s) {
                        const float weight = survives() * w(b, h, t, s);
                        for (Index i = h * d_; i < (h + 1) * d_; ++i) gathered(b, t, i) += weight * k(b, s, i);
                    }
        return o_->forward(gathered);
    }

private:
    /// 0 for a dropped weight, else what makes up for the dropped ones.
    float survives() {
        if (!is_training() || p_ == 0.0F) return 1.0F;
        return random_.uniform() < p_ ? 0.0F : 1.0F / (1.0F - p_);
    }

    Tensor weigh(const Tensor& q, const Tensor& k, const Mask& mask, Sizes n) const {
        const Shape shape{n.B, H_, n.T, n.S};
        const Mask all = mask.defined() ? mask.expand(shape) : Mask::allow_all(shape);
        Tensor w = Tensor::zeros(shape);
        for (Index b = 0; b < n.B; ++b)
            for (Index h = 0; h < H_; ++h)
                for (Index t = 0; t < n.T; ++t) {
                    const Index end = causal_ ? std::max<Index>(0, t + 1 + n.S - n.T) : n.S;
                    double top = -HUGE_VAL, total = 0.0;
                    for (Index s = 0; s < end; ++s) {
                        double dot = 0.0;
                        for (Index i = h * d_; i < (h + 1) * d_; ++i)
                            dot += static_cast<double>(q(b, t, i)) * static_cast<double>(k(b, s, i));
                        w(b, h, t, s) = static_cast<float>(dot / std::sqrt(static_cast<double>(d_)));
                        if (!all(b, h, t, s)) top = std::max(top, static_cast<double>(w(b, h, t, s)));
                    }
                    for (Index s = 0; s < end; ++s) {
                        const double e = all(b, h, t, s) ? 0.0 : std::exp(static_cast<double>(w(b, h, t, s)) - top);
                        w(b, h, t, s) = static_cast<float>(e);
                        total += e;
                    }
                    for (Index s = 0; s < end && total > 0.0; ++s)
                        w(b, h, t, s) = static_cast<float>(static_cast<double>(w(b, h, t, s)) / total);
                }
        return w;
    }

    Index H_, d_, D_;
    bool causal_;
    float p_;
    Random random_;
    std::unique_ptr<nn::Linear> q_, k_, v_, o_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim: at least 1");
    if (o.num_heads < 1) throw std::invalid_argument("num_heads: at least 1");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("dropout: 0 <= p < 1");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("num_heads must divide embed_dim");
    if (o.head_dim && *o.head_dim < 1) throw std::invalid_argument("head_dim: at least 1");
    return std::make_unique<Attend>(o, o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads);
}

}  // namespace headway::ex05
