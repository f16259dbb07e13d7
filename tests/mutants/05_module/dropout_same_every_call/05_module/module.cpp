#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

Tensor dropout(const Tensor& x, float p, std::uint64_t seed) {
    Random random(seed);
    Tensor y = Tensor::zeros(x.shape());
    for (Index i = 0; i < x.numel(); ++i)
        if (random.uniform() >= p) y.data()[i] = x.data()[i] / (1.0F - p);
    return y;
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index E, Random random)
        : options_(options),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, E, bias_, random),
          k_proj_(options.embed_dim, E, bias_, random),
          v_proj_(options.embed_dim, E, bias_, random),
          out_proj_(E, options.embed_dim, bias_, random) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        given::Attended attended = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F)
            attended.context = matmul(dropout(attended.weights, options_.dropout, options_.seed + 1), v);
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(v_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        Mask combined = mask;
        if (options_.causal) combined = combined | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, combined);
    }

    AttentionOptions options_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("bad embed_dim");
    if (options.num_heads < 1) throw std::invalid_argument("bad num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("bad head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("bad embed_dim, num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("bad dropout");
    const Index E = options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim;
    return std::make_unique<MultiHeadAttention>(options, E, Random(options.seed));
}

}  // namespace headway::ex05
