#include <headway/eigen.hpp>

#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

/// Softmax of each row of a matrix.
EigenMatrix softmax(const EigenMatrix& scores) {
    if (scores.cols() == 0) return scores;
    const EigenMatrix e = (scores.colwise() - scores.rowwise().maxCoeff()).array().exp().matrix();
    return e.array().colwise() / e.rowwise().sum().array();
}

class EigenHeads : public Attention {
public:
    EigenHeads(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          drop_random_(random_.next()),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias(), random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias(), random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias(), random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = split(q_proj_.forward(query)), k = split(k_proj_.forward(key));
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key are of different batches");
        Tensor weights = Tensor::empty({q.size(0), q.size(1), q.size(2), k.size(2)});
        for (Index b = 0; b < weights.size(0); ++b)
            for (Index h = 0; h < weights.size(1); ++h) {
                const EigenMatrix scores = as_eigen(q[b][h]) * as_eigen(k[b][h]).transpose();
                as_eigen(weights[b][h]) = softmax(scores / std::sqrt(static_cast<float>(head_dim_)));
            }
        if (options_.causal) weights = masked_fill(weights, given::causal_mask(q.size(2), k.size(2)), 0.0F);
        return masked_fill(weights, mask, 0.0F);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.rank() != 3 || key.shape() != value.shape())
            throw std::invalid_argument("key and value differ in shape");
        const Tensor weights = attention_weights(query, key, mask);
        const Tensor v = split(v_proj_.forward(value));
        Tensor merged = Tensor::empty({v.size(0), query.size(1), options_.num_heads * head_dim_});
        for (Index b = 0; b < v.size(0); ++b)
            for (Index h = 0; h < v.size(1); ++h) {
                EigenMatrix w = as_eigen(weights[b][h]);
                if (is_training() && options_.dropout > 0.0F)
                    for (Index i = 0; i < w.size(); ++i)
                        w.data()[i] *=
                            drop_random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
                as_eigen(merged[b].slice(1, h * head_dim_, (h + 1) * head_dim_)) = w * as_eigen(v[b][h]);
            }
        return out_proj_.forward(merged);
    }

private:
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }
    Tensor split(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    AttentionOptions options_;
    Index head_dim_;
    Random random_, drop_random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("sizes below one");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim below one");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("division with rest");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout outside [0, 1)");
    return std::make_unique<EigenHeads>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
