// Weights of the layer are widened to multi-head ones; attention per (batch, group) by plain library calls;
// online softmax key by key with thread_local scratch; templates.
#include "grouped_query.hpp"
#include <array>
#include <stdexcept>
#include <vector>
namespace headway::ex09 {
namespace {
template <class Real>
struct Online {
    Real top, total;
    std::vector<Real>& sum;
    template <class Value>
    void take(Real score, Value value) {
        if (total == 0) {
            top = score;
            total = 1;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = value(i);
            return;
        }
        if (score <= top) {
            const Real w = std::exp(score - top);
            total += w;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += w * value(i);
        } else {
            const Real f = std::exp(top - score);
            total = total * f + 1;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] * f + value(i);
            top = score;
        }
    }
};
[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("grouped query: " + why); }
Index per_group(Index H, Index K) {
    if (H < 1) refuse("num_heads " + std::to_string(H));
    if (K < 1) refuse("num_kv_heads " + std::to_string(K));
    if (H % K != 0) refuse("uneven");
    return H / K;
}
/// (D, K·d) -> (D, H·d)
Tensor widen(const Tensor& w, Index H, Index K) {
    const Index D = w.size(0), d = w.size(1) / K;
    const Tensor heads = w.contiguous().view({D, K, d}).transpose(0, 1);  // (K, D, d)
    const Tensor more = repeat_heads(heads.contiguous().view({1, K, D, d}), H);
    return more[0].transpose(0, 1).contiguous().view({D, H * d});
}
}  // namespace
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) refuse("rank");
    const Index n = per_group(num_heads, kv.size(1)), B = kv.size(0), K = kv.size(1), S = kv.size(2), d = kv.size(3);
    Tensor result = Tensor::zeros({B, num_heads, S, d});
    for (Index g = 0; g < K; ++g) result.slice(1, g * n, (g + 1) * n).copy_from(kv.slice(1, g, g + 1));
    return result;
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("rank");
    const Index n = per_group(q.size(1), k.size(1));
    const Index B = q.size(0), T = q.size(2), d = q.size(3), K = k.size(1), S = k.size(2);
    if (v.size(1) != K) refuse("heads of v");
    if (k.size(0) != B || v.size(0) != B) refuse("B");

    if (v.size(2) != S) refuse("S");
    Mask m;
    if (mask.defined()) m = mask.expand({B, n * K, T, S});
    thread_local std::vector<double> scratch;
    scratch.resize(static_cast<std::size_t>(v.size(3)));
    Tensor out = Tensor::zeros({B, K * n, T, v.size(3)});
    const double root = std::sqrt(static_cast<double>(d));
    for (Index h = K * n; h-- > 0;)
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) {
                Online<double> row{0, 0, scratch};
                for (Index s = S; s-- > 0;) {
                    if (m.defined() && m(b, h, t, s)) continue;
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += double(q(b, h, t, i)) * double(k(b, h / n, s, i));
                    row.take(dot / root, [&](std::size_t i) { return double(v(b, h / n, s, i)); });
                }
                if (row.total == 0) continue;
                for (std::size_t i = 0; i < scratch.size(); ++i) out(b, h, t, i) = float(scratch[i] / row.total);
            }
    return out;
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    per_group(num_heads, num_kv_heads);
    return (B * S) * (num_kv_heads * head_dim) << 1;
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index n = per_group(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads != 0) refuse("w");
    const Index d = w.size(1) / num_heads;
    std::vector<Tensor> groups;
    for (Index g = 0; g < num_kv_heads; ++g) {
        Tensor total = Tensor::zeros({w.size(0), d});
        for (Index h = g * n; h < g * n + n; ++h) total += w.slice(1, h * d, h * d + d);
        total /= static_cast<float>(n);
        groups.push_back(total);
    }
    return cat(groups, 1);
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    per_group(num_heads, num_kv_heads);
    const std::array<const Tensor*, 4> ws{&w_q, &w_k, &w_v, &w_o};
    for (const Tensor* w : ws)
        if (w->rank() != 2) refuse("matrix");
    if (x.rank() != 3) refuse("x");
    const Index D = x.size(2), E = w_q.size(1);
    if (E % num_heads) refuse("w_q");
    const Index d = E / num_heads;
    if (w_q.size(0) != D || w_k.size(0) != D || w_v.size(0) != D || w_o.size(1) != D || w_o.size(0) != E) refuse("D");
    if (w_k.size(1) != d * num_kv_heads || w_v.size(1) != d * num_kv_heads) refuse("w_k, w_v");
    const Tensor q = given::split_heads(matmul(x, w_q), num_heads);
    const Tensor k = given::split_heads(matmul(x, widen(w_k, num_heads, num_kv_heads)), num_heads);
    const Tensor v = given::split_heads(matmul(x, widen(w_v, num_heads, num_kv_heads)), num_heads);
    return matmul(given::merge_heads(given::scaled_dot_product_attention(q, k, v, mask).context), w_o);
}
}  // namespace headway::ex09
