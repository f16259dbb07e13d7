#include "kv_cache.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

// Index loops, doubles, nothing hidden.

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1 || H < 1 || capacity < 1 || d < 1) throw std::invalid_argument("make_cache: sizes must be positive");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = Tensor::zeros({B, H, capacity, d});
    for (Index b = 0; b < B; ++b) cache.lengths.push_back(0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("append: rank");
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3), n = k.size(2);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) throw std::invalid_argument("append: k");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != n || v.size(3) != d) throw std::invalid_argument("append: v");
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("append: counts");
    for (Index b = 0; b < B; ++b) {
        if (counts[b] < 0 || counts[b] > n) throw std::invalid_argument("append: count outside [0, n]");
        if (cache.lengths[b] + counts[b] > C) throw std::invalid_argument("append: the cache is full");
    }
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < counts[b]; ++t)
                for (Index i = 0; i < d; ++i) {
                    cache.k(b, h, cache.lengths[b] + t, i) = k(b, h, t, i);
                    cache.v(b, h, cache.lengths[b] + t, i) = v(b, h, t, i);
                }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (Index b = 0; b < static_cast<Index>(lengths.size()); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S && s <= lengths[b] + t; ++s) mask(b, 0, t, s) = false;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3);
    if (x.rank() != 3 || x.size(0) != B) throw std::invalid_argument("decode: x");
    const Index n = x.size(1), D = x.size(2);
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("decode: counts");
    for (Index b = 0; b < B; ++b)
        if (counts[b] < 0 || counts[b] > n || cache.lengths[b] + counts[b] > C)
            throw std::invalid_argument("decode: count or capacity");
    const Shape in_shape{H * d, D}, out_shape{D, H * d};
    if (projections.q_proj.weight.shape() != in_shape || projections.k_proj.weight.shape() != in_shape ||
        projections.v_proj.weight.shape() != in_shape || projections.out_proj.weight.shape() != out_shape)
        throw std::invalid_argument("decode: projections");

    const Tensor q = projections.q_proj.forward(x);  // (B, n, E), head h in features [h·d, (h+1)·d)
    const Tensor k = projections.k_proj.forward(x);
    const Tensor v = projections.v_proj.forward(x);
    Tensor merged = Tensor::zeros({B, n, H * d});
    std::vector<double> weight(static_cast<std::size_t>(C));
    for (Index b = 0; b < B; ++b) {
        const Index before = cache.lengths[b];
        for (Index t = 0; t < counts[b]; ++t)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) {
                    cache.k(b, h, before + t, i) = k(b, t, h * d + i);
                    cache.v(b, h, before + t, i) = v(b, t, h * d + i);
                }
        for (Index t = 0; t < counts[b]; ++t)
            for (Index h = 0; h < H; ++h) {
                double largest = 0, total = 0;
                for (Index s = 0; s <= before + t; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i)
                        score += static_cast<double>(q(b, t, h * d + i)) * cache.k(b, h, s, i);
                    weight[s] = score / std::sqrt(static_cast<double>(d));
                    if (weight[s] > largest) largest = weight[s];
                }
                for (Index s = 0; s <= before + t; ++s) total += weight[s] = std::exp(weight[s] - largest);
                for (Index i = 0; i < d; ++i) {
                    double mean_value = 0;
                    for (Index s = 0; s <= before + t; ++s) mean_value += weight[s] / total * cache.v(b, h, s, i);
                    merged(b, t, h * d + i) = static_cast<float>(mean_value);
                }
            }
        cache.lengths[b] = before + counts[b];
    }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
