#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, nn::Bias bias)
        : H_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          q_proj_(options.embed_dim, E, bias, random_),
          k_proj_(options.embed_dim, E, bias, random_),
          v_proj_(options.embed_dim, E, bias, random_),
          out_proj_(E, options.embed_dim, bias, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), H_);
        given::Attended a = attend(query, key, v, mask);
        if (is_training() && p_ != 0.0F) {
            for (Index i = 0; i < a.weights.numel(); ++i)
                a.weights.data()[i] *= random_.uniform() < p_ ? 0.0F : 1.0F / (1.0F - p_);
            a.context = matmul(a.weights, v);
        }
        return out_proj_.forward(given::merge_heads(a.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), H_), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), H_);
        const Tensor k = given::split_heads(k_proj_.forward(key), H_);
        Mask all = mask;
        if (causal_) all = all | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, all);
    }

    Index H_;
    bool causal_;
    float p_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    require(options.embed_dim >= 1, "embed_dim must be at least 1");
    require(options.num_heads >= 1, "num_heads must be at least 1");
    require(options.dropout < 1.0F, "dropout must be below 1");
    require(options.head_dim || options.embed_dim % options.num_heads == 0, "num_heads must divide embed_dim");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    require(head_dim >= 1, "head_dim must be at least 1");
    return std::make_unique<MultiHeadAttention>(options, head_dim * options.num_heads,
                                                options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
