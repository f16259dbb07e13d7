#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace headway::ex08 {

namespace {

struct Sizes {
    Index B, H, C, d;
    explicit Sizes(const Cache& cache)
        : B(cache.k.size(0)), H(cache.k.size(1)), C(cache.k.size(2)), d(cache.k.size(3)) {}
    Index row(Index b, Index h, Index s) const { return ((b * H + h) * C + s) * d; }
};

/// softmax(q·kᵀ / √d)·v over the first `visible` rows.
void attend(const float* q, const float* k, const float* v, Index visible, Index d, float* out) {
    std::vector<double> e(visible);
    double top = -1e300, sum = 0;
    for (Index s = 0; s < visible; ++s) {
        double dot = 0;
        for (Index i = 0; i < d; ++i) dot += static_cast<double>(q[i]) * k[s * d + i];
        e[s] = dot / std::sqrt(static_cast<double>(d));
        top = std::max(top, e[s]);
    }
    for (double& x : e) sum += x = std::exp(x - top);
    for (Index i = 0; i < d; ++i) {
        double mean = 0;
        for (Index s = 0; s < visible; ++s) mean += e[s] * v[s * d + i];
        out[i] = static_cast<float>(mean / sum);
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (std::min(std::min(B, H), std::min(capacity, d)) <= 0) throw std::invalid_argument("make_cache");
    return {Tensor::full({B, H, capacity, d}, 0.0F), Tensor::full({B, H, capacity, d}, 0.0F), std::vector<Index>(B)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Sizes z(cache);
    const Index n = k.rank() == 4 ? k.size(2) : -1;
    if (k.shape() != Shape{z.B, z.H, n, z.d} || v.shape() != k.shape())
        throw std::invalid_argument("append: shapes " + to_string(k.shape()) + ", " + to_string(v.shape()));
    if (static_cast<Index>(counts.size()) != z.B) throw std::invalid_argument("append: counts");
    for (Index b = 0; b < z.B; ++b)
        if (counts[b] < 0 || counts[b] > n || counts[b] > z.C - cache.lengths[b])
            throw std::invalid_argument("append: no room for " + std::to_string(counts[b]));
    const Tensor new_k = k.contiguous(), new_v = v.contiguous();
    for (Index b = 0; b < z.B; ++b) {
        const std::size_t bytes = counts[b] * z.d * sizeof(float);
        for (Index h = 0; h < z.H; ++h) {
            std::memcpy(cache.k.data() + z.row(b, h, cache.lengths[b]), new_k.data() + (b * z.H + h) * n * z.d, bytes);
            std::memcpy(cache.v.data() + z.row(b, h, cache.lengths[b]), new_v.data() + (b * z.H + h) * n * z.d, bytes);
        }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    bool* out = mask.data();
    for (const Index length : lengths)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) *out++ = s > length + t + 1;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Sizes z(cache);
    const Index n = x.size(1), E = z.H * z.d;
    const Tensor q = projections.q_proj.forward(x);  // (B, n, E)
    const std::vector<Index> begin = cache.lengths;
    append(cache, given::split_heads(projections.k_proj.forward(x), z.H),
           given::split_heads(projections.v_proj.forward(x), z.H), counts);
    Tensor merged = Tensor::zeros({z.B, n, E});
    for (Index b = 0; b < z.B; ++b)
        for (Index t = 0; t < counts[b]; ++t)
            for (Index h = 0; h < z.H; ++h)
                attend(q.data() + (b * n + t) * E + h * z.d, cache.k.data() + z.row(b, h, 0),
                       cache.v.data() + z.row(b, h, 0), begin[b] + t + 1, z.d,
                       merged.data() + (b * n + t) * E + h * z.d);
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
