// Queries stacked by group: (B, H_kv, group*T, d), batched matmul, mask stacked too. Softmax with library ops.
#include "grouped_query.hpp"
#include <functional>
#include <limits>
#include <stdexcept>
namespace headway::ex09 {
template <class... A>
static void check(bool ok, A&&...) {
    if (!ok) throw std::invalid_argument("ex09: bad argument");
}
static constexpr auto divides = [](Index kv, Index h) { return kv > 0 && h > 0 && h % kv == 0; };
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    check(kv.rank() == 4);
    check(divides(kv.size(1), num_heads));
    std::vector<Tensor> parts;
    for (Index h = 0; h < num_heads; ++h) {
        const Index g = h * kv.size(1) / num_heads;
        parts.push_back(kv.slice(1, g, g + 1));
    }
    return cat(parts, 1);
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), K = k.size(1), S = k.size(2);
    check(divides(K, H));
    check(k.size(0) == B && v.size(0) == B && v.size(1) == K && v.size(2) == S && k.size(3) == d);
    const Index n = H / K;
    Tensor stacked = q.contiguous().view({B, K, n * T, d});
    Tensor scores = matmul(stacked *= 1.0F / std::sqrt(float(d)), k.transpose(-1, -2));
    if (mask.defined()) {
        const Mask full = mask.expand({B, H, T, S}).clone();
        const Mask grouped = full.as_strided({B, K, n * T, S}, {K * n * T * S, n * T * S, S, 1}, 0);
        scores = masked_fill(scores, grouped, -std::numeric_limits<float>::infinity());
    }
    if (S == 0 || scores.numel() == 0) return Tensor::zeros({B, H, T, v.size(3)});
    Tensor top = max(scores, -1, KeepAxis::yes).clone();
    for (Index i = 0; i < top.numel(); ++i)
        if (top.data()[i] == -std::numeric_limits<float>::infinity()) top.data()[i] = 0;
    const Tensor e = exp(scores - top);
    Tensor total = sum(e, -1, KeepAxis::yes).clone();
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    return (matmul(e, v) / total).view({B, H, T, v.size(3)});
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    check(divides(num_kv_heads, num_heads));
    const Shape cache{2, B, num_kv_heads, S, head_dim};
    Index n = 1;
    for (const Index size : cache) n *= size;
    return n;
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    check(divides(num_kv_heads, num_heads));
    check(w.rank() == 2 && w.size(1) % num_heads == 0);
    const Index d = w.size(1) / num_heads, n = num_heads / num_kv_heads;
    Tensor P = Tensor::zeros({num_heads * d, num_kv_heads * d});  // the mean as a matrix
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d; ++i) P(h * d + i, (h / n) * d + i) = 1.0F / float(n);
    return matmul(w, P);
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    check(divides(num_kv_heads, num_heads));
    check(x.rank() == 3 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2 && w_o.rank() == 2);
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    check(w_q.size(0) == D && w_q.size(1) % num_heads == 0);
    const Index d = w_q.size(1) / num_heads, KD = num_kv_heads * d;
    check(w_k.shape() == Shape{D, KD});
    check(w_v.shape() == Shape{D, KD});
    check(w_o.shape() == Shape{num_heads * d, D});
    const Tensor joint = matmul(x, cat({w_q, w_k, w_v}, 1));  // (B, T, Hd + 2 K d)
    const auto part = [&](Index begin, Index heads) {
        const Tensor y = joint.slice(2, begin, begin + heads * d);
        return y.as_strided({B, heads, T, d}, {y.strides()[0], d, y.strides()[1], 1}, y.offset());
    };
    const Tensor c = grouped_query_attention(part(0, num_heads), part(num_heads * d, num_kv_heads),
                                             part(num_heads * d + KD, num_kv_heads), mask);
    // sum over heads of context_h · w_o[h]
    Tensor out = Tensor::zeros({B, T, D});
    for (Index h = 0; h < num_heads; ++h) out += matmul(c.select(1, h), w_o.slice(0, h * d, (h + 1) * d));
    return out;
}
}  // namespace headway::ex09
