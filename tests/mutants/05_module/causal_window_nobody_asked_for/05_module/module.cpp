#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

constexpr Index window = 3;

/// True where key s is in the future of query t, or too far in its past.
Mask local_mask(Index T, Index S) {
    Mask mask = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t) {
        const Index here = t + S - T;
        for (Index s = 0; s < S; ++s) mask(t, s) = s > here || s <= here - window;
    }
    return mask;
}

class LocalAttention final : public Attention {
public:
    LocalAttention(const AttentionOptions& o, Index inner, nn::Bias bias)
        : o_(o),
          random_(o.seed),
          q_(o.embed_dim, inner, bias, random_),
          k_(o.embed_dim, inner, bias, random_),
          v_(o.embed_dim, inner, bias, random_),
          out_(inner, o.embed_dim, bias, random_) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", out_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = split(k_.forward(key));
        const Mask local = o_.causal ? local_mask(query.size(1), key.size(1)) : Mask{};
        return given::scaled_dot_product_attention(split(q_.forward(query)), k, k, local | mask).weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape())
            throw std::invalid_argument("key " + to_string(key.shape()) + ", value " + to_string(value.shape()));
        Tensor w = attention_weights(query, key, mask);
        if (is_training() && o_.dropout > 0.0F) w = w * kept(w.shape());
        return out_.forward(given::merge_heads(matmul(w, split(v_.forward(value)))));
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, o_.num_heads); }

    Tensor kept(const Shape& shape) {
        Tensor factor = Tensor::zeros(shape);
        for (Index i = 0; i < factor.numel(); ++i)
            if (random_.uniform() >= o_.dropout) factor.data()[i] = 1.0F / (1.0F - o_.dropout);
        return factor;
    }

    AttentionOptions o_;
    Random random_;
    nn::Linear q_, k_, v_, out_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.embed_dim < 1) throw std::invalid_argument("embed_dim");
    if (o.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!(o.dropout >= 0.0F) || !(o.dropout < 1.0F)) throw std::invalid_argument("dropout");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("embed_dim % num_heads");
    const Index d = o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads;
    if (d < 1) throw std::invalid_argument("head_dim");
    return std::make_unique<LocalAttention>(o, o.num_heads * d, o.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
