#include "module.hpp"

#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

Tensor softmax(const Tensor& scores, const Mask& blocked) {
    const Tensor finite = masked_fill(scores, blocked, -3e38F);
    const Tensor e = masked_fill(exp(finite - max(finite, -1, KeepAxis::yes)), blocked, 0.0F);
    Tensor total = sum(e, -1, KeepAxis::yes);
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0.0F) total.data()[i] = 1.0F;
    return e / total;
}

/// One head of all sequences: a slice of each projection's output.
class Head {
public:
    Head(Index number, Index width) : begin_(number * width), end_(begin_ + width) {}

    Tensor scores(const Tensor& q, const Tensor& k) const { return matmul(mine(q), mine(k).transpose(1, 2)); }
    Tensor mine(const Tensor& x) const { return x.slice(2, begin_, end_); }

private:
    Index begin_, end_;
};

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
        for (Index h = 0; h < options.num_heads; ++h) heads_.emplace_back(h, head_dim);
        register_module("q_proj", q_proj_);
        register_module("k_proj", k_proj_);
        register_module("v_proj", v_proj_);
        register_module("out_proj", out_proj_);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        check(query, key);
        const Tensor q = q_proj_.forward(query), k = k_proj_.forward(key);
        Tensor scores = Tensor::empty({query.size(0), options_.num_heads, query.size(1), key.size(1)});
        for (Index h = 0; const Head& head : heads_) scores.select(1, h++).copy_from(head.scores(q, k));
        return softmax(scores, options_.causal ? mask | given::causal_mask(query.size(1), key.size(1)) : mask);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        check(key, value);
        if (key.size(1) != value.size(1)) throw std::invalid_argument("key and value are not equally long");
        Tensor weights = attention_weights(query, key, mask);
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] =
                    random_.uniform() < options_.dropout ? 0.0F : weights.data()[i] / (1.0F - options_.dropout);
        const Tensor v = v_proj_.forward(value);
        std::vector<Tensor> contexts;
        for (Index h = 0; const Head& head : heads_) contexts.push_back(matmul(weights.select(1, h++), head.mine(v)));
        return out_proj_.forward(cat(contexts, 2));
    }

private:
    static void check(const Tensor& a, const Tensor& b) {
        if (a.rank() != 3 || b.rank() != 3) throw std::invalid_argument("three axes are needed");
        if (a.size(0) != b.size(0)) throw std::invalid_argument("batches are not equally large");
    }

    AttentionOptions options_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
    std::vector<Head> heads_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("no features");
    if (options.num_heads < 1) throw std::invalid_argument("no heads");
    if (options.head_dim && *options.head_dim < 1) throw std::invalid_argument("no features in a head");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0) throw std::invalid_argument("broken heads");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("no such dropout");
    return std::make_unique<MultiHeadAttention>(options,
                                                options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
