#include "grouped_query.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex09 {
namespace {

/// How many query heads share a head.
struct Groups {
    Index heads, count, size;

    Groups(Index num_heads, Index num_kv_heads) : heads(num_heads), count(num_kv_heads), size(0) {
        const bool even = heads > 0 && count > 0 && heads % count == 0;
        if (!even) throw std::invalid_argument(std::to_string(heads) + " over " + std::to_string(count));
        size = heads / count;
    }
};

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("kv: (B, H_kv, S, d)");
    const Groups groups(num_heads, kv.size(1));
    std::vector<Tensor> copies;
    for (Index g = 0; g < groups.count; ++g)
        for (Index i = 0; i < groups.size; ++i) copies.push_back(kv.slice(1, g, g + 1));
    return cat(copies, 1);
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || k.size(1) != v.size(1) || k.size(0) != q.size(0) ||
        v.size(0) != q.size(0))
        throw std::invalid_argument("q, k, v");
    const Groups groups(q.size(1), k.size(1));
    const Index B = q.size(0), T = q.size(2), S = k.size(2);
    const Mask wide = mask.defined() ? mask.expand({B, groups.heads, T, S}) : mask;
    std::vector<Tensor> contexts;
    for (Index g = 0; g < groups.count; ++g) {
        const Index first = g * groups.size;
        const Tensor queries = q.slice(1, first, first + groups.size);
        const Tensor keys = k.slice(1, g, g + 1).expand({B, groups.size, S, k.size(3)});
        const Tensor values = v.slice(1, g, g + 1).expand({B, groups.size, v.size(2), v.size(3)});
        Mask part = wide;
        if (wide.defined())
            part = wide.as_strided({B, groups.size, T, S}, wide.strides(),
                                   wide.layout().offset + first * wide.strides()[1]);
        contexts.push_back(given::scaled_dot_product_attention(queries, keys, values, part).context);
    }
    return cat(contexts, 1);
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    const Groups groups(num_heads, num_kv_heads);
    const Index keys = B * S * groups.count * head_dim;
    const Index values = keys;
    return keys + values;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Groups groups(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads != 0) throw std::invalid_argument("w: (D, H·d)");
    const Index d = w.size(1) / num_heads;
    std::vector<Tensor> pooled;
    for (Index g = 0; g < groups.count; ++g) {
        Tensor total = w.slice(1, g * groups.size * d, (g * groups.size + 1) * d).contiguous().clone();
        for (Index i = 1; i < groups.size; ++i) {
            const Index h = g * groups.size + i;
            total += w.slice(1, h * d, (h + 1) * d);
        }
        pooled.push_back(total / static_cast<float>(groups.size));
    }
    return cat(pooled, 1);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    const Groups groups(num_heads, num_kv_heads);
    if (x.rank() != 3 || w_k.shape() != w_v.shape() || w_q.shape() != Shape{w_o.size(1), w_o.size(0)})
        throw std::invalid_argument("the matrices do not fit each other");
    if (w_k.size(1) * groups.size != w_q.size(1)) throw std::invalid_argument("w_k has the wrong width");
    const auto heads = [&](const Tensor& w, Index count) { return given::split_heads(matmul(x, w), count); };
    const Tensor context =
        grouped_query_attention(heads(w_q, groups.heads), heads(w_k, groups.count), heads(w_v, groups.count), mask);
    return matmul(given::merge_heads(context), w_o);
}

}  // namespace headway::ex09
