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
        check(query, key);
        const Tensor q = scaled_queries(query);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        const Tensor scores = masked_fill(matmul(q, k.transpose(2, 3)), blocked, -1e30F);
        const Tensor e = masked_fill(exp(scores - max(scores, -1, KeepAxis::yes)), blocked, 0.0F);
        return e / (sum(e, -1, KeepAxis::yes) + 1e-35F);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(key, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("key and value differ in length");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    static void check(const Tensor& a, const Tensor& b) {
        if (a.rank() != 3 || b.rank() != 3 || a.size(0) != b.size(0)) throw std::invalid_argument("wrong shapes");
    }

    /// x · (W / √d)ᵀ + b / √d: scaling the weight is cheaper than scaling the scores.
    Tensor scaled_queries(const Tensor& query) const {
        const float scale = 1.0F / std::sqrt(static_cast<float>(d_));
        Tensor weight = q_proj_.weight;
        if (query.size(2) != weight.size(1)) throw std::invalid_argument("query has the wrong width");
        weight *= scale;
        Tensor q = matmul(query, weight.transpose(0, 1));
        if (Tensor bias = q_proj_.bias; bias.defined()) {
            bias *= scale;
            q += bias;
        }
        return given::split_heads(q, options_.num_heads);
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim/num_heads must be >= 1");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim must be >= 1, or num_heads divide embed_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
