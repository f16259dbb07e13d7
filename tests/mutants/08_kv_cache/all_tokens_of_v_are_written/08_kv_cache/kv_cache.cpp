#include "kv_cache.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// Loops over indices, with sums in double.
namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1 || H < 1 || capacity < 1 || d < 1) throw std::invalid_argument("make_cache: sizes are at least 1");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = Tensor::zeros({B, H, capacity, d});
    cache.lengths.assign(static_cast<std::size_t>(B), 0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3);
    if (k.rank() != 4 || k.size(0) != B || k.size(1) != H || k.size(3) != d)
        throw std::invalid_argument("append: k does not fit the cache");
    const Index n = k.size(2);
    if (v.shape() != Shape{B, H, n, d}) throw std::invalid_argument("append: v does not fit k");
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("append: B counts are needed");
    for (Index b = 0; b < B; ++b) {
        if (counts[b] < 0 || counts[b] > n) throw std::invalid_argument("append: a count is not in [0, n]");
        if (cache.lengths[b] + counts[b] > C) throw std::invalid_argument("append: the cache is full");
    }
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < n; ++t)
                for (Index i = 0; i < d; ++i) {
                    if (t < counts[b]) cache.k(b, h, cache.lengths[b] + t, i) = k(b, h, t, i);
                    cache.v(b, h, cache.lengths[b] + t, i) = v(b, h, t, i);
                }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = s > lengths[b] + t;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3), E = H * d;
    if (x.rank() != 3 || x.size(0) != B) throw std::invalid_argument("decode: x does not fit the cache");
    const Index n = x.size(1), D = x.size(2);
    if (projections.q_proj.weight.shape() != Shape{E, D} || projections.k_proj.weight.shape() != Shape{E, D} ||
        projections.v_proj.weight.shape() != Shape{E, D} || projections.out_proj.weight.shape() != Shape{D, E})
        throw std::invalid_argument("decode: the projections do not fit");
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("decode: B counts are needed");
    for (Index b = 0; b < B; ++b)
        if (counts[b] < 0 || counts[b] > n || cache.lengths[b] + counts[b] > C)
            throw std::invalid_argument("decode: a count does not fit");

    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const std::vector<Index> before = cache.lengths;
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);
    Index S = 1;
    for (const Index length : cache.lengths) S = max(S, length);
    const Mask mask = decoding_mask(before, n, S);

    const double scale = 1 / std::sqrt(static_cast<double>(d));
    Tensor merged = Tensor::zeros({B, n, E});
    std::vector<double> weight(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < counts[b]; ++t)
            for (Index h = 0; h < H; ++h) {
                double largest = -std::numeric_limits<double>::infinity(), total = 0;
                for (Index s = 0; s < S; ++s) {
                    if (mask(b, 0, t, s)) continue;
                    weight[s] = 0;
                    for (Index i = 0; i < d; ++i) weight[s] += static_cast<double>(q(b, h, t, i)) * cache.k(b, h, s, i);
                    weight[s] *= scale;
                    if (weight[s] > largest) largest = weight[s];
                }
                for (Index s = 0; s < S; ++s)
                    if (!mask(b, 0, t, s)) total += weight[s] = std::exp(weight[s] - largest);
                for (Index i = 0; i < d; ++i) {
                    double sum = 0;
                    for (Index s = 0; s < S; ++s)
                        if (!mask(b, 0, t, s)) sum += weight[s] * cache.v(b, h, s, i);
                    merged(b, t, h * d + i) = static_cast<float>(sum / total);
                }
            }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
