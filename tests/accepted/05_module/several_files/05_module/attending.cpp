#include "multi_head_attention.hpp"

#include <stdexcept>

namespace student {

static void require(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

Tensor MultiHeadAttention::attention_weights(const Tensor& query, const Tensor& key, const Mask& mask) {
    require(query.rank() == 3 && key.rank() == 3, "query and key have three axes");
    require(query.size(0) == key.size(0), "query and key have the same batch size");
    const Tensor q = heads(q_proj_, query), k = heads(k_proj_, key);
    const auto m = blocked(query.size(1), key.size(1), mask);
    return headway::given::scaled_dot_product_attention(q, k, k, m).weights;
}

void MultiHeadAttention::drop(Tensor& weights) {
    const float p = options_.dropout;
    for (Index s = 0; s < weights.size(3); ++s)  // key by key
        for (Index b = 0; b < weights.size(0); ++b)
            for (Index h = 0; h < weights.size(1); ++h)
                for (Index t = 0; t < weights.size(2); ++t) {
                    float& w = weights(b, h, t, s);
                    w = random_.uniform() < p ? 0 : w / (1 - p);
                }
}

Tensor MultiHeadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask) {
    require(key.shape() == value.shape(), "key and value have the same shape");
    Tensor weights = attention_weights(query, key, mask);
    if (is_training()) drop(weights);
    const Tensor v = heads(v_proj_, value);
    return out_proj_.forward(headway::given::merge_heads(headway::ops::matmul(weights, v)));
}

}  // namespace student
