#include "module.hpp"

#include <random>
#include <stdexcept>

namespace headway::ex05 {
namespace {

std::uint64_t fresh_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim)
        : options_(options),
          random_(fresh_seed()),
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
        given::Attended result = attend(query, key, v, mask);
        if (is_training() && options_.dropout > 0.0F) {
            for (Index i = 0; i < result.weights.numel(); ++i) {
                auto& weight = result.weights.data()[i];
                weight = random_.uniform() < options_.dropout ? 0.0F : weight / (1.0F - options_.dropout);
            }
            result.context = matmul(result.weights, v);
        }
        return out_proj_.forward(given::merge_heads(result.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, given::split_heads(k_proj_.forward(key), options_.num_heads), mask).weights;
    }

private:
    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        Mask all = mask;
        if (options_.causal) all = all | given::causal_mask(q.size(2), k.size(2));
        return given::scaled_dot_product_attention(q, k, v, all);
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1) throw std::invalid_argument("embed_dim, num_heads: >= 1");
    if (options.head_dim ? *options.head_dim < 1 : options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("head_dim: >= 1, or embed_dim divisible");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout: [0, 1)");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
