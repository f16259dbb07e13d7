// Recursive merge of partial softmaxes, std::async per group, ranges; returns views where it may.
#include "grouped_query.hpp"
#include <algorithm>
#include <future>
#include <numeric>
#include <ranges>
#include <span>
#include <stdexcept>
#include <vector>
namespace headway::ex09 {
namespace {
struct Partial {
    float top = -INFINITY;
    float total = 0;
    std::vector<float> sum;
};
Partial merge(Partial a, Partial b) {
    if (b.total == 0) return a;
    if (a.total == 0) return b;
    Partial r;
    r.top = std::max(a.top, b.top);
    const float fa = std::exp2(a.top - r.top), fb = std::exp2(b.top - r.top);
    r.total = a.total * fa + b.total * fb;
    r.sum.resize(a.sum.size());
    std::ranges::transform(a.sum, b.sum, r.sum.begin(), [&](float x, float y) { return x * fa + y * fb; });
    return r;
}
template <class Leaf>
Partial reduce(Index begin, Index end, const Leaf& leaf) {
    if (end - begin < 1) return {};
    if (end - begin == 1) return leaf(begin);
    const Index middle = std::midpoint(begin, end);
    return merge(reduce(begin, middle, leaf), reduce(middle, end, leaf));
}
void groups_fit(Index h, Index g) {
    if (std::min(h, g) < 1 || h % g) throw std::invalid_argument("num_heads must be a multiple of num_kv_heads");
}
}  // namespace
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    if (kv.rank() != 4) throw std::invalid_argument("rank");
    groups_fit(num_heads, kv.size(1));
    if (kv.size(1) == 1) return kv.expand({kv.size(0), num_heads, kv.size(2), kv.size(3)});  // a view
    if (kv.size(1) == num_heads) return kv;
    std::vector<Tensor> heads;
    for (Index g : std::views::iota(Index{0}, kv.size(1)))
        for (Index n = num_heads / kv.size(1); n-- > 0;) heads.push_back(kv.slice(1, g, g + 1));
    return cat(heads, 1);
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("rank");
    groups_fit(q.size(1), k.size(1));
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), K = k.size(1),
                dv = v.size(3);
    if (k.shape() != Shape{B, K, S, d} || v.shape() != Shape{B, K, S, dv}) throw std::invalid_argument("k or v");
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    Tensor out = Tensor::zeros({B, H, T, dv});
    const float scale = 1.44269504F / std::sqrt(float(d));
    const auto work = [&](Index g) {
        const Index n = H / K;
        for (Index b = 0; b < B; ++b)
            for (Index h = g * n; h < (g + 1) * n; ++h)
                for (Index t = 0; t < T; ++t) {
                    const Partial p = reduce(0, S, [&](Index s) -> Partial {
                        if (wide.defined() && wide(b, h, t, s)) return {};
                        float dot = 0;
                        for (Index i : std::views::iota(Index{0}, d)) dot += q(b, h, t, i) * k(b, g, s, i);
                        Partial one{dot * scale, 1, {}};
                        for (Index i : std::views::iota(Index{0}, dv)) one.sum.push_back(v(b, g, s, i));
                        return one;
                    });
                    for (Index i = 0; i < dv && p.total > 0; ++i)
                        out.data()[((b * H + h) * T + t) * dv + i] = p.sum[i] / p.total;
                }
    };
    std::vector<std::future<void>> running;
    for (Index g = 0; g < K; ++g) running.push_back(std::async(std::launch::async, work, g));
    for (auto& r : running) r.get();
    return out;
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    groups_fit(num_heads, num_kv_heads);
    return 2 * B * S * head_dim * num_heads / (num_heads / num_kv_heads);
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    groups_fit(num_heads, num_kv_heads);
    if (w.rank() != 2 || w.size(1) % num_heads) throw std::invalid_argument("w");
    const Index d = w.size(1) / num_heads, n = num_heads / num_kv_heads, D = w.size(0);
    const Tensor heads =
        w.as_strided({D, num_kv_heads, n, d},
                     {w.strides()[0], n * d * w.strides()[1], d * w.strides()[1], w.strides()[1]}, w.offset());
    Tensor sum = heads.select(2, 0).clone().contiguous();
    for (Index j = 1; j < n; ++j) sum = sum + heads.select(2, j);
    return (sum / float(n)).contiguous().view({D, num_kv_heads * d});
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    groups_fit(num_heads, num_kv_heads);
    if (x.rank() != 3) throw std::invalid_argument("x");
    for (const Tensor* w : {&w_q, &w_k, &w_v, &w_o})
        if (w->rank() != 2) throw std::invalid_argument("matrix");
    const Index D = x.size(2), E = w_q.size(1);
    if (E % num_heads || w_q.size(0) != D || w_k.shape() != Shape{D, E / num_heads * num_kv_heads} ||
        w_v.shape() != w_k.shape() || w_o.shape() != Shape{E, D})
        throw std::invalid_argument("a matrix does not fit");
    const auto heads = [&](const Tensor& w, Index n) { return given::split_heads(matmul(x, w), n); };
    auto q = std::async(std::launch::deferred, heads, w_q, num_heads);
    const Tensor k = heads(w_k, num_kv_heads), v = heads(w_v, num_kv_heads);
    return matmul(given::merge_heads(grouped_query_attention(q.get(), k, v, mask)), w_o);
}
}  // namespace headway::ex09
