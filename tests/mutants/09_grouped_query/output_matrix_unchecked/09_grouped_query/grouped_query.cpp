// Plain index loops, double, one flat function; checks by hand.
#include "grouped_query.hpp"
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>
namespace headway::ex09 {
static Index group_of(Index H, Index Hkv) {
    if (H < 1 || Hkv < 1 || H % Hkv != 0) throw std::invalid_argument("bad heads");
    return H / Hkv;
}
static void rank(const Tensor& t, Index r) {
    if (!t.defined() || t.rank() != r) throw std::invalid_argument("bad rank");
}
Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    rank(kv, 4);
    const Index group = group_of(num_heads, kv.size(1));
    Tensor out = Tensor::zeros({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < kv.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h)
            for (Index s = 0; s < kv.size(2); ++s)
                for (Index i = 0; i < kv.size(3); ++i) out(b, h, s, i) = kv(b, h / group, s, i);
    return out;
}
Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    rank(q, 4);
    rank(k, 4);
    rank(v, 4);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), dv = v.size(3);
    const Index group = group_of(H, k.size(1));
    if (k.size(0) != B || v.size(0) != B || k.size(3) != d || v.size(2) != S || v.size(1) != k.size(1))
        throw std::invalid_argument("shapes");
    const Mask m = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor out = Tensor::zeros({B, H, T, dv});
    std::vector<double> w(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Index g = h / group;
            for (Index t = 0; t < T; ++t) {
                double top = -std::numeric_limits<double>::infinity();
                for (Index s = 0; s < S; ++s) {
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += double(q(b, h, t, i)) * double(k(b, g, s, i));
                    dot /= std::sqrt(double(d));
                    const bool blocked = m.defined() && m(b, h, t, s);
                    w[s] = blocked ? -std::numeric_limits<double>::infinity() : dot;
                    if (w[s] > top) top = w[s];
                }
                if (std::isinf(top)) continue;
                double total = 0;
                for (double& x : w) {
                    x = std::exp(x - top);
                    total += x;
                }
                for (Index i = 0; i < dv; ++i) {
                    double sum = 0;
                    for (Index s = 0; s < S; ++s) sum += w[s] * double(v(b, g, s, i));
                    out(b, h, t, i) = static_cast<float>(sum / total);
                }
            }
        }
    return out;
}
Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    (void)group_of(num_heads, num_kv_heads);
    return B * S * num_kv_heads * head_dim * 2;
}
Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    const Index group = group_of(num_heads, num_kv_heads);
    rank(w, 2);
    if (w.size(1) % num_heads != 0) throw std::invalid_argument("columns");
    const Index d = w.size(1) / num_heads;
    Tensor out = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index r = 0; r < w.size(0); ++r)
        for (Index g = 0; g < num_kv_heads; ++g)
            for (Index i = 0; i < d; ++i) {
                double sum = 0;
                for (Index j = 0; j < group; ++j) sum += w(r, (g * group + j) * d + i);
                out(r, g * d + i) = static_cast<float>(sum / double(group));
            }
    return out;
}
static Tensor project(const Tensor& x, const Tensor& w, Index heads) {
    const Index B = x.size(0), T = x.size(1), D = x.size(2), d = w.size(1) / heads;
    Tensor out = Tensor::zeros({B, heads, T, d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < heads; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d; ++i) {
                    double sum = 0;
                    for (Index j = 0; j < D; ++j) sum += double(x(b, t, j)) * double(w(j, h * d + i));
                    out(b, h, t, i) = static_cast<float>(sum);
                }
    return out;
}
Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    (void)group_of(num_heads, num_kv_heads);
    rank(x, 3);
    rank(w_q, 2);
    rank(w_k, 2);
    rank(w_v, 2);
    rank(w_o, 2);
    const Index B = x.size(0), T = x.size(1), D = x.size(2);
    if (w_q.size(1) % num_heads != 0) throw std::invalid_argument("w_q");
    const Index d = w_q.size(1) / num_heads, E = num_heads * d;
    if (w_q.size(0) != D || w_k.shape() != Shape{D, num_kv_heads * d} || w_v.shape() != Shape{D, num_kv_heads * d} ||
        w_o.size(1) != D)
        throw std::invalid_argument("matrices");
    const Tensor c = grouped_query_attention(project(x, w_q, num_heads), project(x, w_k, num_kv_heads),
                                             project(x, w_v, num_kv_heads), mask);
    Tensor out = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < D; ++o) {
                double sum = 0;
                for (Index h = 0; h < num_heads; ++h)
                    for (Index i = 0; i < d; ++i) sum += double(c(b, h, t, i)) * double(w_o(h * d + i, o));
                out(b, t, o) = static_cast<float>(sum);
            }
    return out;
}
}  // namespace headway::ex09
