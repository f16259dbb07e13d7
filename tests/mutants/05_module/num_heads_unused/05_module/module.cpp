#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index width)
        : causal_(options.causal),
          dropout_(options.dropout),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          q_proj_(options.embed_dim, width, bias_, random_),
          k_proj_(options.embed_dim, width, bias_, random_),
          v_proj_(options.embed_dim, width, bias_, random_),
          out_proj_(width, options.embed_dim, bias_, random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = with_head_axis(v_proj_.forward(value));
        Tensor weights = weigh(query, key, v, mask);
        if (is_training() && dropout_ > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] = random_.uniform() < dropout_ ? 0.0F : weights.data()[i] / (1.0F - dropout_);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return weigh(query, key, with_head_axis(key), mask);
    }

private:
    static Tensor with_head_axis(const Tensor& x) {
        if (x.rank() != 3) throw std::invalid_argument("(B, length, width) is needed, not " + to_string(x.shape()));
        const Tensor dense = x.contiguous();
        return dense.view({dense.size(0), 1, dense.size(1), dense.size(2)});
    }

    Tensor weigh(const Tensor& query, const Tensor& key, const Tensor& v, Mask mask) const {
        const Tensor q = with_head_axis(q_proj_.forward(query));
        const Tensor k = with_head_axis(k_proj_.forward(key));
        if (causal_) mask = mask | given::causal_mask(query.size(1), key.size(1));
        return given::scaled_dot_product_attention(q, k, v, mask).weights;
    }

    bool causal_;
    float dropout_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.num_heads < 1) throw std::invalid_argument("at least one head");
    if (options.embed_dim < 1) throw std::invalid_argument("at least one feature");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    const Index width = options.head_dim ? *options.head_dim * options.num_heads : options.embed_dim;
    return std::make_unique<MultiHeadAttention>(options, width);
}

}  // namespace headway::ex05
