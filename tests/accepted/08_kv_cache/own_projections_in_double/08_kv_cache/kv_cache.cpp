// Plain loops in double. No product of the library, no mask in decode: a token simply stops at its own position.
#include "kv_cache.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace headway::ex08 {
namespace {

std::size_t u(Index i) { return static_cast<std::size_t>(i); }

/// y = W·x + b for one token
std::vector<double> map(const nn::Linear& linear, const std::vector<double>& x) {
    std::vector<double> y;
    for (Index o = 0; o < linear.weight.size(0); ++o) {
        double sum = linear.bias.defined() ? linear.bias(o) : 0.0F;
        for (std::size_t i = 0; i < x.size(); ++i) sum += linear.weight(o, static_cast<Index>(i)) * x[i];
        y.push_back(sum);
    }
    return y;
}

void check_counts(const Cache& cache, Index n, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0);
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("counts: one for each sequence");
    if (static_cast<Index>(cache.lengths.size()) != B) throw std::invalid_argument("lengths: one for each sequence");
    for (Index b = 0; b < B; ++b) {
        if (counts[u(b)] < 0 || counts[u(b)] > n) throw std::invalid_argument("a count is not in [0, n]");
        if (cache.lengths[u(b)] + counts[u(b)] > cache.k.size(2)) throw std::invalid_argument("the cache is full");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1 || H < 1 || capacity < 1 || d < 1) throw std::invalid_argument("make_cache: sizes must be positive");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = Tensor::zeros({B, H, capacity, d});
    cache.lengths.assign(u(B), 0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) throw std::invalid_argument("append: k and v are (B, H, n, d)");
    if (k.shape() != v.shape()) throw std::invalid_argument("append: k and v differ");
    if (k.size(0) != cache.k.size(0) || k.size(1) != cache.k.size(1) || k.size(3) != cache.k.size(3))
        throw std::invalid_argument("append: k does not fit the cache");
    check_counts(cache, k.size(2), counts);
    for (Index b = 0; b < k.size(0); ++b) {
        for (Index h = 0; h < k.size(1); ++h)
            for (Index t = 0; t < counts[u(b)]; ++t)
                for (Index i = 0; i < k.size(3); ++i) {
                    cache.k(b, h, cache.lengths[u(b)] + t, i) = k(b, h, t, i);
                    cache.v(b, h, cache.lengths[u(b)] + t, i) = v(b, h, t, i);
                }
        cache.lengths[u(b)] += counts[u(b)];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = s > lengths[u(b)] + t;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), E = H * d;
    if (x.rank() != 3 || x.size(0) != B) throw std::invalid_argument("decode: x is (B, n, D)");
    const Index n = x.size(1), D = x.size(2);
    if (projections.q_proj.weight.shape() != Shape{E, D} || projections.k_proj.weight.shape() != Shape{E, D} ||
        projections.v_proj.weight.shape() != Shape{E, D} || projections.out_proj.weight.size(1) != E)
        throw std::invalid_argument("decode: x, projections and cache do not fit");
    check_counts(cache, n, counts);

    Tensor y = Tensor::zeros({B, n, projections.out_proj.weight.size(0)});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < counts[u(b)]; ++t) {
            std::vector<double> token;
            for (Index i = 0; i < D; ++i) token.push_back(x(b, t, i));
            const std::vector<double> q = map(projections.q_proj, token);
            const std::vector<double> k = map(projections.k_proj, token);
            const std::vector<double> v = map(projections.v_proj, token);
            const Index here = cache.lengths[u(b)]++;
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < d; ++i) {
                    cache.k(b, h, here, i) = static_cast<float>(k[u(h * d + i)]);
                    cache.v(b, h, here, i) = static_cast<float>(v[u(h * d + i)]);
                }
            std::vector<double> merged(u(E), 0.0);
            for (Index h = 0; h < H; ++h) {
                std::vector<double> scores;
                double largest = -1e300, total = 0;
                for (Index s = 0; s <= here; ++s) {
                    double score = 0;
                    for (Index i = 0; i < d; ++i) score += q[u(h * d + i)] * cache.k(b, h, s, i);
                    score /= std::sqrt(double(d));
                    if (score > largest) largest = score;
                    scores.push_back(score);
                }
                for (double& score : scores) {
                    score = std::exp(score - largest);
                    total += score;
                }
                for (Index s = 0; s <= here; ++s)
                    for (Index i = 0; i < d; ++i) merged[u(h * d + i)] += scores[u(s)] / total * cache.v(b, h, s, i);
            }
            const std::vector<double> out = map(projections.out_proj, merged);
            for (std::size_t o = 0; o < out.size(); ++o) y(b, t, static_cast<Index>(o)) = static_cast<float>(out[o]);
        }
    return y;
}

}  // namespace headway::ex08
