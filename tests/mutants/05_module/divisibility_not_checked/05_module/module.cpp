#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiheadAttention : public Attention {
public:
    MultiheadAttention(Index units, Index num_heads, Index depth, const AttentionOptions& options)
        : num_heads_(num_heads),
          causal_(options.causal),
          rate_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          wq_(units, num_heads * depth, bias_, random_),
          wk_(units, num_heads * depth, bias_, random_),
          wv_(units, num_heads * depth, bias_, random_),
          dense_(num_heads * depth, units, bias_, random_) {
        register_module("q_proj", wq_);
        register_module("k_proj", wk_);
        register_module("v_proj", wv_);
        register_module("out_proj", dense_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(wv_.forward(value), num_heads_);
        const Tensor weights = dropout(attend(query, key, v, mask).weights);
        return dense_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(wv_.forward(key), num_heads_), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = given::split_heads(wq_.forward(query), num_heads_);
        const Tensor k = given::split_heads(wk_.forward(key), num_heads_);
        if (causal_) mask = mask | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    Tensor dropout(Tensor weights) {
        if (is_training() && rate_ > 0.0F) {
            const Tensor u = random_.uniform(weights.shape(), 0.0F, 1.0F);
            for (Index i = 0; i < u.numel(); ++i)
                weights.data()[i] *= u.data()[i] < rate_ ? 0.0F : 1.0F / (1.0F - rate_);
        }
        return weights;
    }

    Index num_heads_;
    bool causal_;
    float rate_;
    Random random_;
    nn::Bias bias_;
    nn::Linear wq_, wk_, wv_, dense_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("units");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("rate");
    const Index depth = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (depth < 1) throw std::invalid_argument("depth");
    return std::make_unique<MultiheadAttention>(options.embed_dim, options.num_heads, depth, options);
}

}  // namespace headway::ex05
