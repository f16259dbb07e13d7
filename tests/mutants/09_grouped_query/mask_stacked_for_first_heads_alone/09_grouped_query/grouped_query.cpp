#include "grouped_query.hpp"

#include <stdexcept>

// Keys are never repeated: the queries of a group are stacked below each other and asked in one product.
namespace headway::ex09 {

namespace {

Index group_size(Index num_heads, Index num_kv_heads) {
    if (num_heads < 1) throw std::invalid_argument("num_heads must be positive");
    if (num_kv_heads < 1) throw std::invalid_argument("num_kv_heads must be positive");
    if (num_heads % num_kv_heads) throw std::invalid_argument("num_heads must be a multiple of num_kv_heads");
    return num_heads / num_kv_heads;
}

void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    need(kv.rank() == 4, "repeat_heads: kv (B, H_kv, S, d)");
    const Index group = group_size(num_heads, kv.size(1));
    std::vector<Tensor> heads;
    for (Index g = 0; g < kv.size(1); ++g)
        for (Index copy = 0; copy < group; ++copy) heads.push_back(kv.slice(1, g, g + 1));
    return cat(heads, 1);
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k, v: four axes each");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    const Index group = group_size(H, H_kv);
    need(k.size(0) == B && v.size(0) == B, "batch sizes differ");
    need(k.size(3) == d, "q and k differ in width");
    need(v.size(1) == H_kv && v.size(2) == S, "k and v differ in heads or length");

    const Tensor stacked = q.contiguous().view({B, H_kv, group * T, d});
    Mask stacked_mask;
    if (mask.defined()) {
        const Mask each = mask.expand({B, H, T, S});
        stacked_mask = Mask::allow_all({B, H_kv, group * T, S});
        for (Index b = 0; b < B; ++b)
            for (Index g = 0; g < H_kv; ++g)
                for (Index t = 0; t < T; ++t)
                    for (Index s = 0; s < S; ++s) stacked_mask(b, g, t, s) = each(b, g * group, t, s);
    }
    const Tensor context = given::scaled_dot_product_context(stacked, k, v, stacked_mask);
    return context.contiguous().view({B, H, T, v.size(3)});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    return 2 * B * S * head_dim * (num_heads / group_size(num_heads, num_kv_heads));
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = group_size(num_heads, num_kv_heads);
    need(w.rank() == 2 && w.size(1) % num_heads == 0, "pool_heads: w (D, H·d)");
    const Index d = w.size(1) / num_heads;
    Tensor pooled = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index h = 0; h < num_heads; ++h) {
        Tensor target = pooled.slice(1, h / group * d, (h / group + 1) * d);
        target += w.slice(1, h * d, (h + 1) * d) / static_cast<float>(group);
    }
    return pooled;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    group_size(num_heads, num_kv_heads);
    need(x.rank() == 3, "x (B, T, D)");
    const Index D = x.size(2);
    need(w_q.rank() == 2 && w_q.size(0) == D && w_q.size(1) % num_heads == 0, "w_q (D, H·d)");
    const Index d = w_q.size(1) / num_heads;
    const Shape narrow{D, num_kv_heads * d};
    need(w_k.shape() == narrow, "w_k (D, H_kv·d)");
    need(w_v.shape() == narrow, "w_v (D, H_kv·d)");
    need(w_o.shape() == Shape{num_heads * d, D}, "w_o (H·d, D)");

    // One joint projection, cut into its three unequal parts.
    const Tensor qkv = matmul(x, cat({w_q, w_k, w_v}, 1));
    const Index first = num_heads * d, second = first + num_kv_heads * d, third = second + num_kv_heads * d;
    const Tensor q = given::split_heads(qkv.slice(2, 0, first).contiguous(), num_heads);
    const Tensor k = given::split_heads(qkv.slice(2, first, second).contiguous(), num_kv_heads);
    const Tensor v = given::split_heads(qkv.slice(2, second, third).contiguous(), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
