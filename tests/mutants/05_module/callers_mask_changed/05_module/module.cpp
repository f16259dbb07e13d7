#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          out_proj_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        Tensor weights = attend(query, key, v, mask).weights;
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        const Shape full{q.size(0), q.size(1), q.size(2), k.size(2)};
        return given::scaled_dot_product_attention(q, k, v, options_.causal ? without_future(mask, full) : mask);
    }

    /// The mask of all rows, and what lies in the future.
    static Mask without_future(const Mask& mask, const Shape& full) {
        Mask all = mask;
        if (!mask.defined())
            all = Mask::allow_all(full);
        else if (mask.shape() != full)
            all = mask.expand(full) | Mask::allow_all(full);  // room for every row
        const Index T = full[2], S = full[3];
        for (Index b = 0; b < full[0]; ++b)
            for (Index h = 0; h < full[1]; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index s = std::max<Index>(0, t + S - T + 1); s < S; ++s) all(b, h, t, s) = true;
        return all;
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim, num_heads must be >= 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("not divisible");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
