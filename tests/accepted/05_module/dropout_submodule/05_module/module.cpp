#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

namespace {

/// As torch.nn.Dropout: it knows its own mode.
class Dropout : public nn::Module {
public:
    Dropout(float p, std::uint64_t seed) : p_(p), random_(seed) {
        if (!(p >= 0.0F && p < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    }

    Tensor forward(const Tensor& x) {
        if (!is_training() || p_ == 0.0F) return x;
        Tensor y = x.contiguous().clone();
        float* begin = y.data();
        for (float* f = begin + y.numel(); f-- != begin;)  // from the back
            *f = random_.uniform() < p_ ? 0.0F : *f / (1.0F - p_);
        return y;
    }

private:
    float p_;
    Random random_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim, Random&& random)
        : num_heads_(options.num_heads),
          causal_(options.causal),
          dropout_(options.dropout, ~options.seed),
          q_proj_(options.embed_dim, options.num_heads * head_dim, nn::Bias{options.bias}, random),
          k_proj_(options.embed_dim, options.num_heads * head_dim, nn::Bias{options.bias}, random),
          v_proj_(options.embed_dim, options.num_heads * head_dim, nn::Bias{options.bias}, random),
          out_proj_(options.num_heads * head_dim, options.embed_dim, nn::Bias{options.bias}, random) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
        register_module("dropout", dropout_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(query, key);
        check(query, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("as many values as keys, please");
        const auto attended = attend(query, key, value, mask);
        // the context of given is without dropout, so the values are weighed again
        const Tensor v = given::split_heads(v_proj_.forward(value), num_heads_);
        return out_proj_.forward(given::merge_heads(matmul(dropout_.forward(attended.weights), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        return attend(query, key, key, mask).weights;
    }

private:
    static void check(const Tensor& query, const Tensor& other) {
        if (query.rank() != 3 || other.rank() != 3) throw std::invalid_argument("three axes, please");
        if (query.size(0) != other.size(0)) throw std::invalid_argument("batches of the same size, please");
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) const {
        Mask blocked = mask;
        if (causal_) blocked = given::causal_mask(query.size(1), key.size(1)) | blocked;
        return given::scaled_dot_product_attention(given::split_heads(q_proj_.forward(query), num_heads_),
                                                   given::split_heads(k_proj_.forward(key), num_heads_),
                                                   given::split_heads(v_proj_.forward(value), num_heads_), blocked);
    }

    Index num_heads_;
    bool causal_;
    Dropout dropout_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("num_heads must divide embed_dim");
    // Dropout refuses a wrong probability and nn::Linear sizes below 1
    return std::make_unique<MultiHeadAttention>(
        options, options.head_dim.value_or(options.embed_dim / options.num_heads), Random(options.seed));
}

}  // namespace headway::ex05
