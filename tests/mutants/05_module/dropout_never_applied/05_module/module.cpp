#include "module.hpp"

#include <stdexcept>

namespace headway::ex05 {

class MultiHeadAttention : public Attention {
public:
    MultiHeadAttention(const AttentionOptions& options, Index head_dim) : options_(options), random_(options.seed) {
        const Index E = options_.num_heads * head_dim;
        add(q_proj_, "q_proj", options_.embed_dim, E);
        add(k_proj_, "k_proj", options_.embed_dim, E);
        add(v_proj_, "v_proj", options_.embed_dim, E);
        add(out_proj_, "out_proj", E, options_.embed_dim);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        return out_proj_->forward(given::merge_heads(attend(query, key, heads(*v_proj_, value), mask).context));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        return attend(query, key, heads(*k_proj_, key), mask).weights;
    }

private:
    using Projection = std::unique_ptr<nn::Linear>;

    void add(Projection& projection, const char* name, Index in, Index out) {
        projection = std::make_unique<nn::Linear>(in, out, options_.bias ? nn::Bias::yes : nn::Bias::no, random_);
        register_module(name, *projection);
    }

    Tensor heads(const nn::Linear& projection, const Tensor& x) const {
        return given::split_heads(projection.forward(x), options_.num_heads);
    }

    given::Attended attend(const Tensor& query, const Tensor& key, const Tensor& v, const Mask& mask) const {
        const Tensor q = heads(*q_proj_, query);
        const Tensor k = heads(*k_proj_, key);
        return given::scaled_dot_product_attention(
            q, k, v, options_.causal ? mask | given::causal_mask(q.size(2), k.size(2)) : mask);
    }

    AttentionOptions options_;
    Random random_;
    Projection q_proj_, k_proj_, v_proj_, out_proj_;
};

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1 || options.num_heads < 1)
        throw std::invalid_argument("embed_dim and num_heads must be >= 1");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout must be in [0, 1)");
    if (options.head_dim) {
        if (*options.head_dim < 1) throw std::invalid_argument("head_dim must be >= 1");
        return std::make_unique<MultiHeadAttention>(options, *options.head_dim);
    }
    if (options.embed_dim % options.num_heads) throw std::invalid_argument("embed_dim must be divisible by num_heads");
    return std::make_unique<MultiHeadAttention>(options, options.embed_dim / options.num_heads);
}

}  // namespace headway::ex05
