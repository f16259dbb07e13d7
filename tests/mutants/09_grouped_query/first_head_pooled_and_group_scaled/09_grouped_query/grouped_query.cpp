#include "grouped_query.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace headway::ex09 {

namespace {

void check_groups(Index H, Index H_kv) {
    if (H < 1 || H_kv < 1 || H % H_kv) throw std::invalid_argument("uneven groups");
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("repeat_heads: rank");
    check_groups(num_heads, kv.size(1));
    const Index group = num_heads / kv.size(1);
    Tensor out = Tensor::empty({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < kv.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h)
            for (Index s = 0; s < kv.size(2); ++s)
                for (Index i = 0; i < kv.size(3); ++i) out(b, h, s, i) = kv(b, h / group, s, i);
    return out;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    check_groups(H, k.size(1));
    const Index group = H / k.size(1);
    if (k.shape() != Shape{B, H / group, S, d} || v.shape() != Shape{B, H / group, S, d_v})
        throw std::invalid_argument("shapes");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Index g = h / group;
            for (Index t = 0; t < T; ++t) {
                std::vector<float> score(S);
                float top = -INFINITY, total = 0;
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, g, s, i);
                    score[s] = blocked(b, h, t, s) ? -INFINITY : dot / std::sqrt(static_cast<float>(d * group));
                    top = std::max(top, score[s]);
                }
                if (top == -INFINITY) continue;
                for (float& e : score) total += e = std::exp(e - top);
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d_v; ++i) context(b, h, t, i) += score[s] / total * v(b, g, s, i);
            }
        }
    return context;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    check_groups(num_heads, num_kv_heads);
    return B * S * num_kv_heads * head_dim * 2;
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    check_groups(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads) throw std::invalid_argument("pool_heads: width");
    const Index d = w.size(1) / num_heads, group = num_heads / num_kv_heads;
    Tensor pooled = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index row = 0; row < w.size(0); ++row)
        for (Index h = 0; h < num_heads; ++h)
            for (Index i = 0; i < d; ++i)
                if (h % group == 0) pooled(row, h / group * d + i) = w(row, h * d + i);
    return pooled;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    check_groups(num_heads, num_kv_heads);
    const Index D = x.size(-1), d = w_q.size(1) / num_heads;
    if (w_q.shape() != Shape{D, num_heads * d} || w_k.shape() != Shape{D, num_kv_heads * d} ||
        w_v.shape() != w_k.shape() || w_o.shape() != Shape{num_heads * d, D})
        throw std::invalid_argument("grouped_query_self_attention: weights");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, w_k), num_kv_heads);
    const Tensor v = given::split_heads(matmul(x, w_v), num_kv_heads);
    const Tensor context = grouped_query_attention(q, k, v, mask);
    return matmul(given::merge_heads(context), w_o);
}

}  // namespace headway::ex09
