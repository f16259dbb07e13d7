#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    explicit MultiHeadAttention(const AttentionOptions& options)
        : options_(options),
          E_(options.num_heads * options.head_dim.value()),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E_, bias_, random_),
          k_proj_(options.embed_dim, E_, bias_, random_),
          v_proj_(options.embed_dim, E_, bias_, random_),
          out_proj_(E_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check_shapes(query, key, value);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F) weights = weights * dropout_factors(weights.shape());
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check_shapes(query, key, key);
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Mask causal = options_.causal ? given::causal_mask(query.size(1), key.size(1)) : Mask{};
        return given::scaled_dot_product_attention(q, k, k, mask | causal).weights;
    }

private:
    void check_shapes(const Tensor& query, const Tensor& key, const Tensor& value) const {
        for (const Tensor* x : {&query, &key, &value})
            if (x->shape() != query.shape() || x->rank() != 3 || x->size(2) != options_.embed_dim)
                throw std::invalid_argument("query, key and value must all be (B, T, D), one is " +
                                            to_string(x->shape()));
    }

    Tensor dropout_factors(const Shape& shape) {
        Tensor factors = Tensor::full(shape, 1.0F / (1.0F - options_.dropout));
        for (Index i = 0; i < factors.numel(); ++i)
            if (random_.uniform() < options_.dropout) factors.data()[i] = 0.0F;
        return factors;
    }

    AttentionOptions options_;
    Index E_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    AttentionOptions complete = options;
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("not a size");
    if (!options.head_dim) {
        if (options.embed_dim % options.num_heads != 0)
            throw std::invalid_argument("embed_dim / num_heads is no integer");
        complete.head_dim = options.embed_dim / options.num_heads;
    }
    if (*complete.head_dim < 1) throw std::invalid_argument("not a head_dim");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("not a dropout probability");
    return std::make_unique<MultiHeadAttention>(complete);
}

}  // namespace headway::ex05
