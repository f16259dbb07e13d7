#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

// Everything over indices.
namespace headway::ex08 {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Throws unless `counts` may be appended: nothing is written before.
void check_room(const Cache& cache, const std::vector<Index>& counts, Index n) {
    const Index B = cache.k.size(0), C = cache.k.size(2);
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("counts: one for each sequence");
    for (Index b = 0; b < B; ++b) {
        if (counts[at(b)] < 0 || counts[at(b)] > n) throw std::invalid_argument("counts: not in [0, n]");
        if (cache.lengths[at(b)] + counts[at(b)] > C) throw std::invalid_argument("the cache is full");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size < 1) throw std::invalid_argument("make_cache: every size is at least 1");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = Tensor::zeros({B, H, capacity, d});
    for (Index b = 0; b < B; ++b) cache.lengths.push_back(0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (k.rank() != 4 || k.size(0) != B || k.size(1) != H || k.size(3) != d)
        throw std::invalid_argument("append: k is not (B, H, n, d)");
    if (v.shape() != k.shape()) throw std::invalid_argument("append: v does not fit k");
    check_room(cache, counts, k.size(2));
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < counts[at(b)]; ++t) {
            const Index position = cache.lengths[at(b)] + t;
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) {
                    cache.k(b, h, position, i) = k(b, h, t, i);
                    cache.v(b, h, position, i) = v(b, h, t, i);
                }
        }
        cache.lengths[at(b)] += counts[at(b)];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t) {
            const Index last = std::min(lengths[at(b)] + t, S - 1);  // itself
            for (Index s = 0; s <= last; ++s) mask(b, 0, t, s) = false;
        }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (x.rank() != 3 || x.size(0) != B) throw std::invalid_argument("decode: x is not (B, n, D)");
    const Index n = x.size(1), D = x.size(2);
    const Shape wanted{H * d, D};
    if (projections.q_proj.weight.shape() != wanted || projections.k_proj.weight.shape() != wanted ||
        projections.v_proj.weight.shape() != wanted)
        throw std::invalid_argument("decode: the projections do not fit");
    check_room(cache, counts, n);

    const std::vector<Index> before = cache.lengths;
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);

    Index S = 1;
    for (const Index length : cache.lengths) S = std::max(S, length);
    const Mask blocked = decoding_mask(before, n, S);
    const double root = std::sqrt(double(d));
    Tensor context = Tensor::zeros({B, H, n, d});
    std::vector<double> scores(at(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < n; ++t) {
                for (Index s = 0; s < S; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += double(q(b, h, t, i)) * cache.k(b, h, s, i);
                    scores[at(s)] = score / root;
                }
                const double largest = *std::max_element(scores.begin(), scores.end());
                double total = 0;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, 0, t, s)) continue;
                    scores[at(s)] = std::exp(scores[at(s)] - largest);
                    total += scores[at(s)];
                }
                for (Index i = 0; i < d; ++i) {
                    double gathered = 0;
                    for (Index s = 0; s < S; ++s)
                        if (!blocked(b, 0, t, s)) gathered += scores[at(s)] * cache.v(b, h, s, i);
                    context(b, h, t, i) = static_cast<float>(gathered / total);
                }
            }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
