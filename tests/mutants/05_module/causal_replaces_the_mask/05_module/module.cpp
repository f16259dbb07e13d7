#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Which keys a query sees, asked key by key.
class Visibility {
public:
    Visibility(const Mask& mask, bool causal, const Shape& full) : future_(full[3] - full[2]), causal_(causal) {
        if (mask.defined()) mask_ = mask.expand(full);
    }

    bool operator()(Index b, Index h, Index t, Index s) const {
        if (causal_) return s <= t + future_;
        if (mask_.defined()) return !mask_(b, h, t, s);
        return true;
    }

private:
    Mask mask_;
    Index future_;
    bool causal_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& o, Index d, nn::Bias bias)
        : o_(o),
          d_(d),
          random_(o.seed),
          q_proj_(o.embed_dim, o.num_heads * d, bias, random_),
          k_proj_(o.embed_dim, o.num_heads * d, bias, random_),
          v_proj_(o.embed_dim, o.num_heads * d, bias, random_),
          out_proj_(o.num_heads * d, o.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), o_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), o_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("batch sizes of query and key differ");
        Tensor w = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d_));
        const Visibility sees(mask, o_.causal, w.shape());
        for (Index b = 0; b < w.size(0); ++b)
            for (Index h = 0; h < w.size(1); ++h)
                for (Index t = 0; t < w.size(2); ++t) {
                    float top = -INFINITY, total = 0.0F;
                    for (Index s = 0; s < w.size(3); ++s)
                        if (sees(b, h, t, s)) top = std::fmax(top, w(b, h, t, s));
                    for (Index s = 0; s < w.size(3); ++s) {
                        w(b, h, t, s) = sees(b, h, t, s) ? std::exp(w(b, h, t, s) - top) : 0.0F;
                        total += w(b, h, t, s);
                    }
                    if (total != 0.0F) w[b][h][t] /= total;
                }
        return w;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || value.shape() != key.shape()) throw std::invalid_argument("value must match key");
        Tensor w = attention_weights(query, key, mask);
        if (is_training() && o_.dropout > 0.0F)
            for (Index i = 0; i < w.numel(); ++i)
                w.data()[i] *= random_.uniform() < o_.dropout ? 0.0F : 1.0F / (1.0F - o_.dropout);
        const Tensor v = given::split_heads(v_proj_.forward(value), o_.num_heads);
        return out_proj_.forward(given::merge_heads(matmul(w, v)));
    }

private:
    AttentionOptions o_;
    Index d_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& o) {
    if (o.num_heads < 1 || o.embed_dim < 1) throw std::invalid_argument("at least one head and one feature");
    if (!(o.dropout >= 0.0F && o.dropout < 1.0F)) throw std::invalid_argument("0 <= dropout < 1");
    if (!o.head_dim && o.embed_dim % o.num_heads != 0) throw std::invalid_argument("heads must be equally wide");
    const Index d = o.head_dim.value_or(o.embed_dim / o.num_heads);
    if (d < 1) throw std::invalid_argument("heads must be at least one wide");
    return std::make_unique<MultiHeadAttention>(o, d, o.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
