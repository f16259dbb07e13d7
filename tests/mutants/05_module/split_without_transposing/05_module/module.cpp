#include "split.hpp"

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
          w_q_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          w_k_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          w_v_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          w_concat_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", w_q_);
        register_module("k_proj", w_k_);
        register_module("v_proj", w_v_);
        register_module("out_proj", w_concat_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Tensor v = split(w_v_.forward(value), options_.num_heads);
        given::Attended attended = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            Tensor& score = attended.weights;
            for (Index i = 0; i < score.numel(); ++i)
                score.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : score.data()[i] / (1.0F - options_.dropout);
            attended.context = matmul(score, v);
        }
        return w_concat_.forward(concat(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, split(w_k_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = split(w_q_.forward(query), options_.num_heads);
        const Tensor k = split(w_k_.forward(key), options_.num_heads);
        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, blocked);
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear w_q_, w_k_, w_v_, w_concat_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("d_model and n_head must be positive");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("d_tensor must be positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("d_model % n_head");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F))
        throw std::invalid_argument("drop_prob must be in [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
