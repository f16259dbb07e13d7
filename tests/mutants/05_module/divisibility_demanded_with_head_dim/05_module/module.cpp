#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

AttentionOptions checked(AttentionOptions options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (options.embed_dim % options.num_heads != 0) throw std::invalid_argument("num_heads must divide embed_dim");
    if (!options.head_dim) options.head_dim = options.embed_dim / options.num_heads;
    if (*options.head_dim < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return options;
}

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : options_(checked(options)),
          random_(options.seed),
          q_proj_(options_.embed_dim, inner(), bias(), random_),
          k_proj_(options_.embed_dim, inner(), bias(), random_),
          v_proj_(options_.embed_dim, inner(), bias(), random_),
          out_proj_(inner(), options_.embed_dim, bias(), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = heads(v_proj_, value);
        Tensor weights = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            Mask dropped = Mask::allow_all(weights.shape());
            for (Index i = 0; i < dropped.numel(); ++i) dropped.data()[i] = random_.uniform() < options_.dropout;
            weights = masked_fill(weights, dropped, 0.0F) / (1.0F - options_.dropout);
        }
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, heads(v_proj_, key), mask);
    }

private:
    Index inner() const { return options_.num_heads * *options_.head_dim; }
    nn::Bias bias() const { return options_.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor heads(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    Tensor attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = heads(q_proj_, query), k = heads(k_proj_, key);
        if (options_.causal) mask = given::causal_mask(q.size(2), k.size(2)) | mask;
        return given::scaled_dot_product_attention(q, k, v, mask).weights;
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    return std::make_unique<MultiHeadAttention>(options);
}

}  // namespace headway::ex05
