#include "grouped_query.hpp"

#include <limits>
#include <stdexcept>

// Nothing is repeated: queries get an axis for their group, keys and values one of size 1, and the library broadcasts.
namespace headway::ex09 {

namespace {
Index per_group(Index H, Index H_kv) {
    if (H < 1 || H_kv < 1 || H % H_kv != 0) throw std::invalid_argument("heads and groups");
    return H / H_kv;
}
void require(bool fits) {
    if (!fits) throw std::invalid_argument("shapes do not fit");
}
}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    require(kv.rank() == 4);
    const Index n = per_group(num_heads, kv.size(1));
    std::vector<Tensor> heads;
    for (Index h = 0; h < num_heads; ++h) heads.push_back(kv.slice(1, h / n, h / n + 1));
    return cat(heads, 1);
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index G = k.size(1), S = k.size(2), d_v = v.size(3), n = per_group(H, G);
    require(k.shape() == Shape{B, G, S, d} && v.shape() == Shape{B, G, S, d_v});

    const Tensor q5 = q.contiguous().view({B, G, n, T, d});
    const Tensor k5 = k.contiguous().view({B, G, 1, S, d});
    const Tensor v5 = v.contiguous().view({B, G, 1, S, d_v});
    Tensor scores = matmul(q5, k5.transpose(-2, -1)) / std::sqrt(static_cast<float>(d));  // (B, G, n, T, S)
    if (mask.defined()) {
        const Mask m = mask.expand({B, H, T, S});
        const Strides& s = m.strides();
        const Mask m5 = m.as_strided({B, G, n, T, S}, {s[0], s[1], s[1] * G, s[2], s[3]}, m.layout().offset);
        scores = masked_fill(scores, m5, -std::numeric_limits<float>::infinity());
    }
    Tensor top = max(scores, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < top.numel(); ++i)
        if (std::isinf(top.data()[i])) top.data()[i] = 0;
    const Tensor e = exp(scores - top);
    Tensor total = sum(e, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    return (matmul(e, v5) / total).contiguous().view({B, H, T, d_v});
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    return 2 * B * S * per_group(num_heads, num_kv_heads) * head_dim;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index n = per_group(num_heads, num_kv_heads);
    require(w.rank() == 2 && w.size(1) % num_heads == 0);
    const Index d = w.size(1) / num_heads;
    std::vector<Tensor> means;
    for (Index g = 0; g < num_kv_heads; ++g) {
        Tensor m = Tensor::zeros({w.size(0), d});
        for (Index h = g * n; h < (g + 1) * n; ++h) m += w.slice(1, h * d, (h + 1) * d);
        m /= static_cast<float>(n);
        means.push_back(m);
    }
    return cat(means, 1);
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    per_group(num_heads, num_kv_heads);
    require(x.rank() == 3 && w_q.rank() == 2 && w_q.size(0) == x.size(2) && w_q.size(1) % num_heads == 0);
    const Index D = x.size(2), d = w_q.size(1) / num_heads;
    require(w_k.shape() == Shape{D, num_kv_heads * d} && w_v.shape() == w_k.shape());
    require(w_o.shape() == Shape{num_heads * d, D});
    // One joint projection of queries, keys and values, cut where its parts end.
    const Index E = num_heads * d, F = num_kv_heads * d;
    const Tensor qkv = matmul(x, cat({w_q, w_k, w_v}, 1));
    const Tensor q = given::split_heads(qkv.slice(2, 0, E).contiguous(), num_heads);
    const Tensor k = given::split_heads(qkv.slice(2, E, E + F).contiguous(), num_kv_heads);
    const Tensor v = given::split_heads(qkv.slice(2, E + F, E + 2 * F).contiguous(), num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q, k, v, mask)), w_o);
}

}  // namespace headway::ex09
