#include "kv_cache.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

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
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3);
    if (k.rank() != 4 || k.size(0) != B || k.size(1) != H || k.size(3) != d || k.shape() != v.shape())
        throw std::invalid_argument("append: shapes");
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("append: one count a sequence");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 0 || counts[b] > k.size(2)) throw std::invalid_argument("append: count");
        if (cache.lengths[b] + counts[b] > C) throw std::invalid_argument("append: the cache is full");
    }
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < counts[b]; ++t) {
            const Index position = cache.lengths[0] + t;
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) {
                    cache.k(b, h, position, i) = k(b, h, t, i);
                    cache.v(b, h, position, i) = v(b, h, t, i);
                }
        }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = lengths[b] + t + 1; s < S; ++s) mask(b, 0, t, s) = true;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = x.size(0), n = x.size(1), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);
    const Mask mask = decoding_mask(cache.lengths, n, C);
    append(cache, k, v, counts);
    Tensor context = Tensor::zeros({B, n, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < n; ++t) {
                std::vector<float> scores;
                float largest = -INFINITY;
                for (Index s = 0; s < C && !mask(b, 0, t, s); ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * cache.k(b, h, s, i);
                    scores.push_back(dot / std::sqrt(static_cast<float>(d)));
                    largest = std::max(largest, scores.back());
                }
                float total = 0;
                for (const float score : scores) total += std::exp(score - largest);
                for (std::size_t s = 0; s < scores.size(); ++s)
                    for (Index i = 0; i < d; ++i)
                        context(b, t, h * d + i) +=
                            std::exp(scores[s] - largest) / total * cache.v(b, h, static_cast<Index>(s), i);
            }
    return projections.out_proj.forward(context);
}

}  // namespace headway::ex08
