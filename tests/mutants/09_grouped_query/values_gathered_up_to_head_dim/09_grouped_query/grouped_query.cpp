#include "grouped_query.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// Everything over indices, sums in double.
namespace headway::ex09 {
namespace {

void check(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace

Tensor repeat_heads(const Tensor& kv, Index num_heads) {
    check(kv.rank() == 4, "repeat_heads: kv is (B, H_kv, S, d)");
    check(num_heads >= 1, "repeat_heads: at least one head");
    check(kv.size(1) >= 1 && num_heads % kv.size(1) == 0, "repeat_heads: H_kv does not divide num_heads");
    const Index group = num_heads / kv.size(1);
    Tensor result = Tensor::zeros({kv.size(0), num_heads, kv.size(2), kv.size(3)});
    for (Index b = 0; b < kv.size(0); ++b)
        for (Index h = 0; h < num_heads; ++h)
            for (Index s = 0; s < kv.size(2); ++s)
                for (Index i = 0; i < kv.size(3); ++i) result(b, h, s, i) = kv(b, h / group, s, i);
    return result;
}

Tensor grouped_query_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "grouped_query_attention: rank");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index H_kv = k.size(1), S = k.size(2), d_v = v.size(3);
    check(k.size(0) == B && v.size(0) == B, "grouped_query_attention: B differs");
    check(k.size(3) == d, "grouped_query_attention: d differs");
    check(v.size(1) == H_kv, "grouped_query_attention: k and v differ in heads");
    check(v.size(2) == S, "grouped_query_attention: S differs");
    check(H_kv >= 1 && H >= 1 && H % H_kv == 0, "grouped_query_attention: uneven groups");
    const Mask blocked = (mask.defined() ? mask : Mask::allow_all({1})).expand({B, H, T, S});

    const Index group = H / H_kv;
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<double> scores(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                bool sees_a_key = false;
                for (Index s = 0; s < S; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += double(q(b, h, t, i)) * k(b, h / group, s, i);
                    score /= std::sqrt(double(d));
                    if (blocked(b, h, t, s))
                        score = -std::numeric_limits<double>::infinity();
                    else
                        sees_a_key = true;
                    scores[static_cast<std::size_t>(s)] = score;
                }
                if (!sees_a_key) continue;
                const double largest = *std::max_element(scores.begin(), scores.end());
                double total = 0;
                for (double& score : scores) total += score = std::exp(score - largest);
                for (Index i = 0; i < d; ++i) {
                    double gathered = 0;
                    for (Index s = 0; s < S; ++s)
                        gathered += scores[static_cast<std::size_t>(s)] * v(b, h / group, s, i);
                    context(b, h, t, i) = static_cast<float>(gathered / total);
                }
            }
    return context;
}

Index cached_numbers(Index B, Index S, Index num_heads, Index num_kv_heads, Index head_dim) {
    check(num_heads >= 1 && num_kv_heads >= 1, "cached_numbers: at least one head");
    check(num_heads % num_kv_heads == 0, "cached_numbers: uneven groups");
    const Index per_token = num_kv_heads * head_dim;
    return B * S * (per_token + per_token);
}

Tensor pool_heads(const Tensor& w, Index num_heads, Index num_kv_heads) {
    check(num_heads >= 1 && num_kv_heads >= 1, "pool_heads: at least one head");
    check(num_heads % num_kv_heads == 0, "pool_heads: uneven groups");
    check(w.rank() == 2 && w.size(1) % num_heads == 0, "pool_heads: w is (D, H d)");
    const Index group = num_heads / num_kv_heads, d = w.size(1) / num_heads;
    Tensor pooled = Tensor::zeros({w.size(0), num_kv_heads * d});
    for (Index row = 0; row < w.size(0); ++row)
        for (Index g = 0; g < num_kv_heads; ++g)
            for (Index i = 0; i < d; ++i) {
                double total = 0;
                for (Index h = g * group; h < (g + 1) * group; ++h) total += w(row, h * d + i);
                pooled(row, g * d + i) = static_cast<float>(total / double(group));
            }
    return pooled;
}

Tensor grouped_query_self_attention(const Tensor& x, const Tensor& w_q, const Tensor& w_k, const Tensor& w_v,
                                    const Tensor& w_o, Index num_heads, Index num_kv_heads, const Mask& mask) {
    check(num_heads >= 1 && num_kv_heads >= 1, "grouped_query_self_attention: at least one head");
    check(num_heads % num_kv_heads == 0, "grouped_query_self_attention: uneven groups");
    check(x.rank() == 3 && w_q.rank() == 2, "grouped_query_self_attention: rank");
    const Index B = x.size(0), T = x.size(1), D = x.size(2), E = w_q.size(1);
    check(w_q.size(0) == D && E % num_heads == 0, "grouped_query_self_attention: w_q");
    const Index d = E / num_heads;
    check(w_k.shape() == Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_k");
    check(w_v.shape() == Shape{D, num_kv_heads * d}, "grouped_query_self_attention: w_v");
    check(w_o.shape() == Shape{E, D}, "grouped_query_self_attention: w_o");

    const auto project = [&](const Tensor& w, Index heads) {
        Tensor result = Tensor::zeros({B, heads, T, d});
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < heads; ++h)
                for (Index t = 0; t < T; ++t)
                    for (Index i = 0; i < d; ++i) {
                        double total = 0;
                        for (Index j = 0; j < D; ++j) total += double(x(b, t, j)) * w(j, h * d + i);
                        result(b, h, t, i) = static_cast<float>(total);
                    }
        return result;
    };
    const Tensor context =
        grouped_query_attention(project(w_q, num_heads), project(w_k, num_kv_heads), project(w_v, num_kv_heads), mask);
    Tensor y = Tensor::zeros({B, T, D});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index o = 0; o < D; ++o) {
                double total = 0;
                for (Index e = 0; e < E; ++e) total += double(context(b, e / d, t, e % d)) * w_o(e, o);
                y(b, t, o) = static_cast<float>(total);
            }
    return y;
}

}  // namespace headway::ex09
