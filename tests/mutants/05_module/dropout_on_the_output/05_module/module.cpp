#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : num_heads_(options.num_heads),
          causal_(options.causal),
          p_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, num_heads_ * head_dim, bias_, random_),
          k_proj_(options.embed_dim, num_heads_ * head_dim, bias_, random_),
          v_proj_(options.embed_dim, num_heads_ * head_dim, bias_, random_),
          out_proj_(num_heads_ * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor context = attend(query, key, split(v_proj_, value), mask).context;
        Tensor y = out_proj_.forward(given::merge_heads(context));
        if (is_training() && p_ > 0.0F) {
            for (Index i = 0; i < y.numel(); ++i)
                y.data()[i] = random_.uniform() < p_ ? 0.0F : y.data()[i] / (1.0F - p_);
        }
        return y;
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, split(k_proj_, key), mask).weights;
    }

private:
    Tensor split(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), num_heads_);
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = split(q_proj_, query), k = split(k_proj_, key);
        if (causal_)
            return given::scaled_dot_product_attention(q, k, v, mask | given::causal_mask(q.size(2), k.size(2)));
        return given::scaled_dot_product_attention(q, k, v, mask);
    }

    Index num_heads_;
    bool causal_;
    float p_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto& o = options;
    const bool fits = o.embed_dim >= 1 && o.num_heads >= 1 && o.dropout >= 0.0F && o.dropout < 1.0F &&
                      (o.head_dim ? *o.head_dim >= 1 : o.embed_dim % o.num_heads == 0);
    if (!fits) throw std::invalid_argument("make_multi_head_attention: these options make no attention");
    return std::make_unique<MultiHeadAttention>(o, o.head_dim ? *o.head_dim : o.embed_dim / o.num_heads);
}

}  // namespace headway::ex05
