#include "module.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex05 {
namespace {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          head_dim_(head_dim),
          random_(options.seed),
          bias_(options.bias ? nn::Bias::yes : nn::Bias::no),
          affine_q_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          affine_k_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          affine_v_(options.embed_dim, options.num_heads * head_dim, bias_, random_),
          affine_o_(options.num_heads * head_dim, options.embed_dim, bias_, random_) {
        register_module("q_proj", affine_q_);
        register_module("k_proj", affine_k_);
        register_module("v_proj", affine_v_);
        register_module("out_proj", affine_o_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor product = scores(query, key);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < product.numel(); ++i)
                product.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : product.data()[i] / (1.0F - options_.dropout);
        const Tensor weights = softmax(product, mask);
        const Tensor v = given::split_heads(affine_v_.forward(value), options_.num_heads);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("v does not fit k");
        return affine_o_.forward(given::merge_heads(matmul(weights, v)));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return softmax(scores(query, key), mask);
    }

private:
    Tensor scores(const Tensor& query, const Tensor& key) const {
        const Tensor q = given::split_heads(affine_q_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(affine_k_.forward(key), options_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("q does not fit k");
        return matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(head_dim_));
    }

    Tensor softmax(const Tensor& x, const Mask& mask) const {
        const Mask blocked = options_.causal ? given::causal_mask(x.size(2), x.size(3)) | mask : mask;
        const Tensor open = masked_fill(x, blocked, -INFINITY);
        Tensor weights = Tensor::empty(open.shape());
        const Index S = x.size(3);
        for (Index row = 0; S > 0 && row < open.numel() / S; ++row) {
            const float* in = open.data() + row * S;
            float* out = weights.data() + row * S;
            float top = -INFINITY, total = 0.0F;
            for (Index s = 0; s < S; ++s) top = std::fmax(top, in[s]);
            for (Index s = 0; s < S; ++s) total += out[s] = top == -INFINITY ? 0.0F : std::exp(in[s] - top);
            for (Index s = 0; s < S && total > 0.0F; ++s) out[s] /= total;
        }
        return weights;
    }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    nn::Bias bias_;
    nn::Linear affine_q_, affine_k_, affine_v_, affine_o_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("model_dim");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("head_dim");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("model_dim % num_heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
