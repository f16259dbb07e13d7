#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          d_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          k_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          v_proj_(options.embed_dim, options.num_heads * d_, bias_, random_),
          out_proj_(options.num_heads * d_, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = v_proj_.forward(value);
        const Tensor w = attend(query, key, given::split_heads(v, options_.num_heads), mask).weights;
        const Shape shape{w.size(0), w.size(2), options_.num_heads * d_};
        if (merged_.shape() != shape) merged_ = Tensor::zeros(shape);
        const float p = is_training() ? options_.dropout : 0.0F;
        for (Index b = 0; b < w.size(0); ++b)
            for (Index h = 0; h < w.size(1); ++h)
                for (Index t = 0; t < w.size(2); ++t) {
                    Tensor out = merged_[b][t].slice(0, h * d_, (h + 1) * d_);
                    for (Index s = 0; s < w.size(3); ++s) {
                        if (p > 0.0F && random_.uniform() < p) continue;
                        const float weight = w(b, h, t, s) / (1.0F - p);
                        for (Index i = 0; i < d_; ++i) out(i) += weight * v(b, s, h * d_ + i);
                    }
                }
        return out_proj_.forward(merged_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        return given::scaled_dot_product_attention(
            q, k, v, options_.causal ? given::causal_mask(q.size(2), k.size(2)) | mask : mask);
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    Tensor merged_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be 1 or more");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be 1 or more");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be 1 or more");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("not divisible");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    const Index d = options.head_dim ? *options.head_dim : options.embed_dim / options.num_heads;
    return std::make_unique<MultiHeadAttention>(options, d);
}

}  // namespace headway::ex05
