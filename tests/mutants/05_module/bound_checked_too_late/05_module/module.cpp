#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {
namespace {

float& at(std::vector<float>& row, Index s) { return row[static_cast<std::size_t>(s)]; }

class RowByRow : public Attention {
public:
    RowByRow(const AttentionOptions& options, Index head_dim)
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

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor q = given::split_heads(q_proj_.forward(query), options_.num_heads);
        const Tensor k = given::split_heads(k_proj_.forward(key), options_.num_heads);
        if (q.size(0) != k.size(0)) throw std::invalid_argument("query and key are not of one batch");
        const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
        Mask blocked = options_.causal ? mask | given::causal_mask(T, S) : mask;
        if (!blocked.defined()) blocked = Mask::allow_all({S});
        blocked = blocked.expand({B, H, T, S});
        Tensor weights = Tensor::zeros({B, H, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index t = 0; t < T; ++t) {
                    std::vector<float> row(static_cast<std::size_t>(S), -INFINITY);
                    for (Index s = 0; s < S; ++s)
                        if (!blocked(b, h, t, s)) at(row, s) = score(q[b][h][t], k[b][h][s]);
                    if (anything_visible(row, S)) softmax(row, weights[b][h][t]);
                }
        return weights;
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        Tensor weights = attention_weights(query, key, mask);
        const Tensor v = given::split_heads(v_proj_.forward(value), options_.num_heads);
        if (v.size(0) != weights.size(0) || v.size(2) != weights.size(3))
            throw std::invalid_argument("value is not of the batch and length of key");
        if (is_training() && options_.dropout > 0.0F)
            for (Index i = 0; i < weights.numel(); ++i)
                weights.data()[i] *= random_.uniform() < options_.dropout ? 0.0F : 1.0F / (1.0F - options_.dropout);
        return out_proj_.forward(given::merge_heads(matmul(weights, v)));
    }

private:
    float score(const Tensor& q, const Tensor& k) const {
        float dot = 0.0F;
        for (Index i = 0; i < d_; ++i) dot += q(i) * k(i);
        return dot / std::sqrt(static_cast<float>(d_));
    }

    static bool anything_visible(std::vector<float>& row, Index S) {
        Index s = 0;
        while (at(row, s) == -INFINITY && s < S) ++s;
        return s < S;
    }

    static void softmax(std::vector<float>& row, Tensor weights) {
        const float top = *std::max_element(row.begin(), row.end());
        float total = 0.0F;
        for (float& score : row) total += score = std::exp(score - top);
        for (Index s = 0; s < weights.numel(); ++s) weights(s) = at(row, s) / total;
    }

    AttentionOptions options_;
    Index d_;
    Random random_;
    nn::Bias bias_;
    nn::Linear q_proj_, k_proj_, v_proj_, out_proj_;
};

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (options.embed_dim < 1) throw std::invalid_argument("embed_dim < 1");
    if (options.num_heads < 1) throw std::invalid_argument("num_heads < 1");
    if (options.head_dim.value_or(1) < 1) throw std::invalid_argument("head_dim < 1");
    if (!options.head_dim && options.embed_dim % options.num_heads != 0)
        throw std::invalid_argument("embed_dim % num_heads != 0");
    if (!(options.dropout >= 0.0F && options.dropout < 1.0F)) throw std::invalid_argument("dropout not in [0, 1)");
    return std::make_unique<RowByRow>(options, options.head_dim.value_or(options.embed_dim / options.num_heads));
}

}  // namespace headway::ex05
