#include "module.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex05 {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// A row that may be all kNever: then zeros come out.
void softmax_in_place(float* row, Index n) {
    float top = kNever;
    for (Index i = 0; i < n; ++i) top = row[i] > top ? row[i] : top;
    if (top == kNever) top = 0.0F;
    float total = 0.0F;
    for (Index i = 0; i < n; ++i) total += (row[i] = std::exp(row[i] - top));
    if (total == 0.0F) return;
    for (Index i = 0; i < n; ++i) row[i] /= total;
}

class MultiHead : public Attention {
public:
    MultiHead(const AttentionOptions& o, Index head_dim)
        : options(o),
          random(o.seed),
          E(o.num_heads * head_dim),
          query_projection(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          key_projection(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          value_projection(o.embed_dim, E, o.bias ? nn::Bias::yes : nn::Bias::no, random),
          output_projection(E, o.embed_dim, o.bias ? nn::Bias::yes : nn::Bias::no, random) {
        register_module("q_proj", query_projection);
        register_module("k_proj", key_projection);
        register_module("v_proj", value_projection);
        register_module("out_proj", output_projection);
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(query_projection.forward(query), options.num_heads);
        const Tensor k = given::split_heads(key_projection.forward(key), options.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("one batch for query and key");
        Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(E / options.num_heads));
        if (options.causal) scores = masked_fill(scores, given::causal_mask(q.size(2), k.size(2)), kNever);
        scores = masked_fill(scores, mask, kNever);
        const Index S = scores.size(3);
        for (Index at = 0; at < scores.numel(); at += S) softmax_in_place(scores.data() + at, S);
        return scores;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (value.rank() != 3 || value.shape() != key.shape()) throw std::invalid_argument("a value for each key");
        Tensor weights = attention_weights(query, key, mask);
        const Tensor values = given::split_heads(value, options.num_heads);
        if (is_training() && options.dropout != 0.0F) {
            const float scale = 1.0F / (1.0F - options.dropout);
            for (float* w = weights.data(); w != weights.data() + weights.numel(); ++w)
                *w = random.uniform() < options.dropout ? 0.0F : *w * scale;
        }
        return output_projection.forward(given::merge_heads(matmul(weights, values)));
    }

private:
    AttentionOptions options;
    Random random;
    Index E;
    nn::Linear query_projection, key_projection, value_projection, output_projection;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    const auto check = [](bool fine, const std::string& what) {
        if (!fine) throw std::invalid_argument("make_multi_head_attention: " + what);
    };
    check(options.embed_dim >= 1, "embed_dim < 1");
    check(options.num_heads >= 1, "num_heads < 1");
    check(options.dropout >= 0.0F && options.dropout < 1.0F, "dropout is not in [0, 1)");
    check(options.head_dim ? *options.head_dim >= 1 : options.embed_dim % options.num_heads == 0,
          "no width for a head");
    return std::make_unique<MultiHead>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
