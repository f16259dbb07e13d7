#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          d_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          out_proj_(options.num_heads * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(d_));  // checks the shapes
        const Mask blocked = options_.causal ? given::causal_mask(q.size(2), k.size(2)) | mask : mask;
        const Tensor open = masked_fill(scores, blocked, -1e30F);
        const Tensor e = masked_fill(exp(open - max(open, -1, KeepAxis::yes)), blocked, 0.0F);
        return e / (sum(e, -1, KeepAxis::yes) + 1e-35F);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim: at least 1 is needed");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads: at least 1 is needed");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim: k · num_heads");
    const Index d = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (d < 1) throw std::invalid_argument("head_dim: at least 1 is needed");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: [0, 1) is needed");
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
