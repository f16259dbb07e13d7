#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class Dropout : public nn::Module {
public:
    Dropout(float p, std::uint64_t seed) : p_(p), random_(seed) {}

    Tensor forward(const Tensor& x) {
        if (!is_training()) return x;
        Mask gone = Mask::allow_all(x.shape());
        for (Index i = 0; i < gone.numel(); ++i) gone.data()[i] = random_.uniform() < p_;
        return masked_fill(x, gone, 0.0F);
    }

private:
    float p_;
    Random random_;
};

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim, Random random)
        : options_(options),
          E_(options.num_heads * head_dim),
          q_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          k_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          v_proj_(options.embed_dim, E_, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          out_proj_(E_, options.embed_dim, options.bias ? nn::Bias::yes : nn::Bias::no, random),
          dropout_(options.dropout, random.next()) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
        register_module("dropout", dropout_);  // no parameters, but it follows train() and eval()
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(v_proj_.forward(value));
        const Tensor weights =
            given::scaled_dot_product_attention(split(q_proj_.forward(query)), split(k_proj_.forward(key)), v,
                                                blocked(query, key, mask))
                .weights;
        return out_proj_.forward(given::merge_heads(matmul(dropout_.forward(weights), v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = split(k_proj_.forward(key));
        return given::scaled_dot_product_attention(split(q_proj_.forward(query)), k, k, blocked(query, key, mask))
            .weights;
    }

private:
    Tensor split(const Tensor& x) const { return given::split_heads(x, options_.num_heads); }

    Mask blocked(const Tensor& query, const Tensor& key, const Mask& mask) const {
        if (query.rank() != 3 || key.rank() != 3) throw std::invalid_argument("(B, length, D) is needed");
        return options_.causal ? mask | given::causal_mask(query.size(1), key.size(1)) : mask;
    }

    AttentionOptions options_;
    Index E_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Dropout dropout_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be at least 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be at least 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim must be at least 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    return std::make_unique<MultiHeadAttention>(options, head_dim, Random(options.seed));
}

}  // namespace headway::ex05
