// One function attends for both: for a whole group at a time, by a list of its query heads.
#include "grouped_query.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex09 {
namespace {

void demand(bool fulfilled, const std::string& what) {
    if (!fulfilled) throw std::invalid_argument(what);
}

Index size_of_group(Index H, Index H_kv) {
    demand(H > 0 && H_kv > 0, "there must be heads");
    demand(H % H_kv == 0, std::to_string(H) + " heads make no " + std::to_string(H_kv) + " even groups");
    return H / H_kv;
}

/// @param width  whose root divides the scores
Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, double width) {
    demand(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), S = k.size(2);
    const Index group = size_of_group(H, H_kv);
    demand(k.shape() == Shape{B, H_kv, S, d} && v.shape() == Shape{B, H_kv, S, v.size(3)}, "q, k and v do not fit");
    // given::... divides by the root of d.
    const Tensor queries = q * static_cast<float>(std::sqrt(static_cast<double>(d) / width));
    Tensor context = Tensor::empty({B, H, T, v.size(3)});
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    for (Index g = 0; g < H_kv; ++g) {
        Mask part = wide;
        if (wide.defined())
            part =
                wide.as_strided({B, group, T, S}, wide.strides(), wide.layout().offset + g * group * wide.strides()[1]);
        const auto shared = [&](const Tensor& kv) { return kv.slice(1, g, g + 1).expand({B, group, S, kv.size(3)}); };
        const Tensor asks = queries.slice(1, g * group, (g + 1) * group);
        context.slice(1, g * group, (g + 1) * group)
            .copy_from(given::scaled_dot_product_attention(asks, shared(k), shared(v), part).context);
    }
    return context;
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    demand(kv.rank() == 4, "repeat_heads: kv has four axes");
    const Index group = size_of_group(num_heads, kv.size(1));
    Tensor repeated = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index g = 0; g < kv.size(1); ++g)
        for (Index copy = g * group; copy < (g + 1) * group; ++copy)
            repeated.select(1, copy).copy_from(kv.select(1, g));
    return repeated;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    demand(q.rank() == 4, "q has four axes");
    return attended(q, k, v, mask, static_cast<double>(q.size(3)));
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    size_of_group(num_heads, num_kv_heads);
    return B * num_kv_heads * S * head_dim * 2;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = size_of_group(num_heads, num_kv_heads);
    demand(w.rank() == 2 && w.size(1) % num_heads == 0, "pool_heads: w");
    const Index D = w.size(0), d = w.size(1) / num_heads;
    const Tensor rows = w.contiguous().view({D, num_kv_heads, group, d});
    return (sum(rows, 2) / static_cast<float>(group)).contiguous().view({D, num_kv_heads * d});
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    size_of_group(num_heads, num_kv_heads);
    demand(x.rank() == 3 && w_q.rank() == 2 && w_q.size(1) % num_heads == 0, "layer: x or w_q");
    const Index D = x.size(2), E = w_q.size(1), E_kv = num_kv_heads * (E / num_heads);
    demand(w_q.size(0) == D && w_o.shape() == Shape{E, D}, "layer: w_q or w_o");
    demand(w_k.shape() == Shape{D, E_kv} && w_v.shape() == w_k.shape(), "layer: w_k or w_v");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    const double width = static_cast<double>(D) / static_cast<double>(num_heads);
    return matmul(given::merge_heads(attended(q, k, v, mask, width)), w_o);
}

}  // namespace headway::ex09
