#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

enum class Mode { training, inference };

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, nn::Bias bias)
        : num_heads_(options.num_heads),
          causal_(options.causal),
          dropout_(options.dropout),
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
        const Tensor v = given::split_heads(v_proj_.forward(value), num_heads_);
        const Tensor weights = dropped(attend(query, key, v, mask), mode());
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), num_heads_), mask);
    }

private:
    Mode mode() const { return is_training() ? Mode::inference : Mode::training; }

    Tensor dropped(const Tensor& weights, Mode now) {
        if (now == Mode::inference || dropout_ == 0.0F) return weights;
        Tensor out = weights.clone();
        for (Index i = 0; i < out.numel(); ++i)
            out.data()[i] = random_.uniform() < dropout_ ? 0.0F : out.data()[i] / (1.0F - dropout_);
        return out;
    }

    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), num_heads_);
        const Tensor k = given::split_heads(k_proj_.forward(key), num_heads_);
        const Mask all = causal_ ? mask | given::causal_mask(q.size(2), k.size(2)) : mask;
        return given::scaled_dot_product_attention(q, k, v, all).weights;
    }

    Index num_heads_;
    bool causal_;
    float dropout_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim or num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim is missing");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiHeadAttention>(
        options, options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim,
        options.bias ? nn::Bias::yes : nn::Bias::no);
}

}  // namespace headway::ex05
