#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {
namespace {

void expect_sequence(const Tensor& x, const char* name, Index B, Index width) {
    if (x.rank() != 3 || x.size(0) != B || x.size(2) != width)
        throw std::invalid_argument(std::string(name) + " has shape " + to_string(x.shape()));
}

class SelfAttention : public Attention {
public:
    SelfAttention(const AttentionOptions& options, Index E)
        : options_(options),
          random_(options.seed),
          q_proj_(options.embed_dim, E, bias(options), random_),
          k_proj_(options.embed_dim, E, bias(options), random_),
          v_proj_(options.embed_dim, E, bias(options), random_),
          out_proj_(E, options.embed_dim, bias(options), random_) {
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        const Index B = query.rank() == 3 ? query.size(0) : -1;
        expect_sequence(query, "query", B, options_.embed_dim);
        expect_sequence(key, "key", B, options_.embed_dim);
        expect_sequence(value, "value", B, options_.embed_dim);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("key and value differ in length");
        given::Attended attended = attend(query, mask);
        if (is_training() && options_.dropout > 0.0F) {
            const Tensor u = random_.uniform(attended.weights.shape(), 0.0F, 1.0F);
            for (Index i = 0; i < u.numel(); ++i)
                attended.weights.data()[i] *= u.data()[i] < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
            attended.context = matmul(attended.weights, split(v_proj_, query));
        }
        return out_proj_.forward(given::merge_heads(attended.context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Index B = query.rank() == 3 ? query.size(0) : -1;
        expect_sequence(query, "query", B, options_.embed_dim);
        expect_sequence(key, "key", B, options_.embed_dim);
        return attend(query, mask).weights;
    }

private:
    static nn::Bias bias(const AttentionOptions& o) { return o.bias ? nn::Bias::yes : nn::Bias::no; }

    Tensor split(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    given::Attended attend(const Tensor& x, Mask mask) const {
        if (options_.causal) mask = mask | given::causal_mask(x.size(1), x.size(1));
        return given::scaled_dot_product_attention(split(q_proj_, x), split(k_proj_, x), split(v_proj_, x), mask);
    }

    AttentionOptions options_;
    Random random_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim must be positive");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads must be positive");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim must be divisible by num_heads");
    const Index head_dim = options.head_dim.value_or(options.embed_dim / options.num_heads);
    if (head_dim < 1) throw std::invalid_argument("head_dim must be positive");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    return std::make_unique<SelfAttention>(options, head_dim * options.num_heads);
}

}  // namespace headway::ex05
