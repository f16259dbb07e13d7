#include "module.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex05 {

namespace {

enum Which : std::size_t { Q, K, V, O };

Index width_of_a_head(const AttentionOptions& options) {
    if (!options.head_dim.has_value()) return options.embed_dim / options.num_heads;
    return options.head_dim.value();
}

class HeadwiseAttention : public Attention {
public:
    explicit HeadwiseAttention(const AttentionOptions& options)
        : options_(options), head_dim_(width_of_a_head(options)), random_(options.seed), projections_(4) {
        const Index D = options.embed_dim;
        const Index E = options.num_heads * head_dim_;
        const nn::Bias bias = options.bias ? nn::Bias::yes : nn::Bias::no;
        for (const Which which : {Q, K, V}) projections_[which] = std::make_unique<nn::Linear>(D, E, bias, random_);
        projections_[O] = std::make_unique<nn::Linear>(E, D, bias, random_);

        register_module("q_proj", *projections_[Q]);
        register_module("k_proj", *projections_[K]);
        register_module("v_proj", *projections_[V]);
        register_module("out_proj", *projections_[O]);
    }

    Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) override {
        if (key.shape() != value.shape()) throw std::invalid_argument("forward: key and value must have one shape");
        const Tensor all = after_dropout(attention_weights(query, key, mask));  // (B, H, T, S)
        const Tensor v = heads(V, value);                                       // (B, H, S, d)
        std::vector<Tensor> found;
        for (Index h = 0; h < options_.num_heads; ++h) found.push_back(matmul(all.select(1, h), v.select(1, h)));
        return projections_[O]->forward(cat(found, 2));
    }

    Tensor attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) override {
        const Tensor k = heads(Q, key);    // (B, H, S, d)
        const Tensor q = heads(K, query);  // (B, H, T, d)
        if (q.size(0) != k.size(0)) throw std::invalid_argument("attention_weights: the batches differ");

        Mask blocked = mask;
        if (options_.causal) blocked = blocked | given::causal_mask(q.size(2), k.size(2));

        const Tensor scores = matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<float>(head_dim_));
        const Tensor top = max(masked_fill(scores, blocked, std::numeric_limits<float>::lowest()), 3, KeepAxis::yes);
        const Tensor powers = masked_fill(exp(scores - top), blocked, 0.0F);
        Tensor total = sum(powers, 3, KeepAxis::yes);
        for (Index i = 0; i < total.numel(); ++i)
            if (total.data()[i] < 0.5F) total.data()[i] = 1.0F;  // nothing to see: 0 / 1
        return powers / total;
    }

private:
    Tensor heads(Which which, const Tensor& from) const {
        return given::split_heads(projections_[which]->forward(from), options_.num_heads);
    }

    Tensor after_dropout(const Tensor& weights) {
        const float p = options_.dropout;
        Tensor kept = weights.clone();
        float* at = kept.data();
        for (Index i = 0; i < kept.numel(); ++i) {
            const bool drop = random_.uniform() < p;
            at[i] = drop ? 0.0F : at[i] / (1.0F - p);
        }
        return kept;
    }

    AttentionOptions options_;
    Index head_dim_;
    Random random_;
    std::vector<std::unique_ptr<nn::Linear>> projections_;
};

bool acceptable(const AttentionOptions& options) {
    if (options.embed_dim < 1) return false;
    if (options.num_heads < 1) return false;
    if (!(options.dropout >= 0.0F)) return false;
    if (!(options.dropout < 1.0F)) return false;
    if (options.head_dim.has_value()) return options.head_dim.value() >= 1;
    return options.embed_dim % options.num_heads == 0;
}

}  // namespace

std::unique_ptr<Attention> make_multi_head_attention(const AttentionOptions& options) {
    if (!acceptable(options)) throw std::invalid_argument("make_multi_head_attention: these options make no module");
    return std::make_unique<HeadwiseAttention>(options);
}

}  // namespace headway::ex05
