#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MaskedCausalAttention : public Attention {
public:
    MaskedCausalAttention(const AttentionOptions& options, Index head_dim)
        : n_heads_(options.num_heads),
          head_dim_(head_dim),
          h_dim_(options.embed_dim),
          causal_(options.causal),
          drop_p_(options.dropout),
          random_(options.seed) {
        const auto bias = options.bias ? nn::Bias::yes : nn::Bias::no;
        q_net_ = std::make_unique<nn::Linear>(h_dim_, n_heads_ * head_dim_, bias, random_);
        k_net_ = std::make_unique<nn::Linear>(h_dim_, n_heads_ * head_dim_, bias, random_);
        v_net_ = std::make_unique<nn::Linear>(h_dim_, n_heads_ * head_dim_, bias, random_);
        proj_net_ = std::make_unique<nn::Linear>(n_heads_ * head_dim_, h_dim_, bias, random_);
        register_module("q_proj", *q_net_);
        register_module("k_proj", *k_net_);
        register_module("v_proj", *v_net_);
        register_module("out_proj", *proj_net_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor normalized_weights = attention_weights(query, key, mask);
        const Tensor v = rearrange(v_net_->forward(value));  // B, N, S, d
        if (v.size(0) != normalized_weights.size(0) || v.size(2) != normalized_weights.size(3))
            throw std::invalid_argument("value must have the batch and the length of key");
        Tensor attention = matmul(normalized_weights, v);  // B, N, T, d
        if (is_training() && drop_p_ > 0.0F) {
            Tensor keep = Tensor::empty(attention.shape());
            for (Index i = 0; i < keep.numel(); ++i)
                keep.data()[i] = random_.uniform() < drop_p_ ? 0.0F : 1.0F / (1.0F - drop_p_);
            attention *= keep;
        }
        attention = attention.transpose(1, 2).contiguous().view({v.size(0), attention.size(2), n_heads_ * head_dim_});
        return proj_net_->forward(attention);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = rearrange(q_net_->forward(query)), k = rearrange(k_net_->forward(key));
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key must have the same batch");
        const Mask blocked = causal_ ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        const Tensor weights =
            masked_fill(matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_)), blocked, -1e30F);
        const Tensor e = masked_fill(exp(weights - max(weights, -1, KeepAxis::yes)), blocked, 0.0F);
        Tensor z = sum(e, -1, KeepAxis::yes);
        for (Index i = 0; i < z.numel(); ++i) z.data()[i] = z.data()[i] > 0.0F ? z.data()[i] : 1.0F;
        return e / z;
    }

private:
    Tensor rearrange(const Tensor& x) const {
        if (x.rank() != 3) throw std::invalid_argument("rank 3 is needed");
        return x.view({x.size(0), x.size(1), n_heads_, head_dim_}).transpose(1, 2);
    }

    Index n_heads_, head_dim_, h_dim_;
    bool causal_;
    float drop_p_;
    Random random_;
    std::unique_ptr<nn::Linear> q_net_, k_net_, v_net_, proj_net_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("h_dim");
    if (options.num_heads < 1) throw std::invalid_argument("n_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("drop_p");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("h_dim % n_heads");
    return std::make_unique<MaskedCausalAttention>(options,
                                                   options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
