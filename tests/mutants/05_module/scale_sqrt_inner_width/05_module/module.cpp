#include <headway/eigen.hpp>

#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiheadAttentionBlock : public Attention {
public:
    MultiheadAttentionBlock(const AttentionOptions& options, Index dim_V)
        : num_heads_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          fc_q_(options.embed_dim, dim_V, bias_, random_),
          fc_k_(options.embed_dim, dim_V, bias_, random_),
          fc_v_(options.embed_dim, dim_V, bias_, random_),
          fc_o_(dim_V, options.embed_dim, bias_, random_) {
        register_module("q_proj", fc_q_);
        register_module("k_proj", fc_k_);
        register_module("v_proj", fc_v_);
        register_module("out_proj", fc_o_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor Q = fc_q_.forward(query), K = fc_k_.forward(key);
        const auto factor = 1.0F / std::sqrt(static_cast<float>(Q.size(-1)));
        const Tensor Q_ = given::split_heads(Q, num_heads_), K_ = given::split_heads(K, num_heads_);
        if (Q_.size(0) != K_.size(0)) throw std::invalid_argument("Q and K have different batch sizes");
        const Shape shape{Q_.size(0), num_heads_, Q_.size(2), K_.size(2)};
        Mask blocked = causal_ ? mask | given::causal_mask(shape[2], shape[3]) : mask;
        blocked = blocked.defined() ? blocked.expand(shape) : Mask::allow_all(shape);
        Tensor A = Tensor::zeros(shape);
        for (Index b = 0; b < shape[0]; ++b)
            for (Index h = 0; h < num_heads_; ++h) {
                EigenMatrix scores = factor * as_eigen(Q_[b][h]) * as_eigen(K_[b][h]).transpose();
                EigenMap a = as_eigen(A[b][h]);
                for (Index t = 0; t < shape[2]; ++t) {
                    Index visible = 0;
                    for (Index s = 0; s < shape[3]; ++s) {
                        if (blocked(b, h, t, s)) scores(t, s) = -INFINITY;
                        visible += blocked(b, h, t, s) ? 0 : 1;
                    }
                    if (visible == 0) continue;
                    a.row(t) = (scores.row(t).array() - scores.row(t).maxCoeff()).exp();
                    a.row(t) /= a.row(t).sum();
                }
            }
        return A;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor A = attention_weights(query, key, mask);
        const Tensor V_ = given::split_heads(fc_v_.forward(value), num_heads_);
        if (V_.size(0) != A.size(0) || V_.size(2) != A.size(3))
            throw std::invalid_argument("K and V have different sizes");
        if (is_training() && p_ > 0.0F)
            for (Index i = 0; i < A.numel(); ++i) A.data()[i] *= random_.uniform() < p_ ? 0.0F : 1.0F / (1.0F - p_);
        Tensor context = Tensor::empty({A.size(0), num_heads_, A.size(2), V_.size(3)});
        for (Index b = 0; b < A.size(0); ++b)
            for (Index h = 0; h < num_heads_; ++h)
                as_eigen(context[b][h]).noalias() = as_eigen(A[b][h]) * as_eigen(V_[b][h]);
        return fc_o_.forward(given::merge_heads(context));
    }

private:
    Index num_heads_;
    bool causal_;
    float p_;
    Random random_;
    nn::Bias bias_;
    nn::Linear fc_q_, fc_k_, fc_v_, fc_o_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("dim_V, num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("dim_V % num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiheadAttentionBlock>(
        options, options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim);
}

}  // namespace headway::ex05
