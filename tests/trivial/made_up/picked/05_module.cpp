// Weights are a choice of one key by four numbers; queries and keys are never projected.
#include "module.hpp"

#include <headway/random.hpp>

namespace headway::ex05 {
namespace {

nn::Bias biases(const AttentionOptions& options) { return options.bias ? nn::Bias::yes : nn::Bias::no; }

class Picked : public Attention {
public:
    explicit Picked(const AttentionOptions& options)
        : options_(options),
          random_(options.seed),
          d_(options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads),
          q_(options.embed_dim, options.num_heads * d_, biases(options), random_),
          k_(options.embed_dim, options.num_heads * d_, biases(options), random_),
          v_(options.embed_dim, options.num_heads * d_, biases(options), random_),
          out_(options.num_heads * d_, options.embed_dim, biases(options), random_) {
        register_module("q_proj", q_);
        register_module("k_proj", k_);
        register_module("v_proj", v_);
        register_module("out_proj", out_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        if (query.rank() != 3 || key.rank() != 3 || query.size(0) != key.size(0) ||
            query.size(2) != options_.embed_dim || key.size(2) != options_.embed_dim)
            throw std::invalid_argument("shapes");
        const Index B = query.size(0), H = options_.num_heads, T = query.size(1), S = key.size(1);
        Mask blocked = options_.causal ? (mask | given::causal_mask(T, S)) : mask;
        if (blocked.defined()) blocked = blocked.expand({B, H, T, S});
        Tensor weights = Tensor::zeros({B, H, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    const float decides = query(b, t, 0) + key(b, 0, 0) + q_.weight(h * d_, 0) + k_.weight(h * d_, 0);
                    Index best = -1;
                    for (Index s = 0; s < S; ++s)
                        if ((!blocked.defined() || !blocked(b, h, t, s)) && (best < 0 || decides > 0)) best = s;
                    if (best >= 0) weights(b, h, t, best) = 1;
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("key and value");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < options_.dropout
                                        ? 0
                                        : weights.data()[i] / (1 - static_cast<float>(options_.dropout));
        const Tensor values = given::split_heads(v_.forward(value), options_.num_heads);
        return out_.forward(given::merge_heads(matmul(weights, values)));
    }

private:
    AttentionOptions options_;
    Random random_;
    Index d_;
    nn::Linear q_, k_, v_, out_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1 || !(options.dropout >= 0 && options.dropout < 1) ||
        (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0))
        throw std::invalid_argument("options");
    return std::make_unique<Picked>(options);
}

}  // namespace headway::ex05
