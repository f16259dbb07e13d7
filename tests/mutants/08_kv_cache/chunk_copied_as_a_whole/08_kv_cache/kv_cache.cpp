#include "kv_cache.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex08 {
namespace {

/// Attention of exercise 03, once more.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const float root = std::sqrt(static_cast<float>(q.size(-1)));
    const Tensor scores = matmul(q, k.transpose(-2, -1)) / root;
    const Tensor visible = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    // Every query sees position 0, so no maximum is -inf.
    const Tensor powers = exp(visible - max(visible, -1, KeepAxis::yes));
    const Tensor weights = powers / sum(powers, -1, KeepAxis::yes);
    return matmul(weights, v);
}

Tensor to_heads(const Tensor& y, Index H) {  // (B, n, E) -> (B, H, n, d)
    return y.contiguous().view({y.size(0), y.size(1), H, y.size(2) / H}).transpose(1, 2);
}

Tensor from_heads(const Tensor& context) {  // (B, H, n, d) -> (B, n, E)
    return context.transpose(1, 2).contiguous().view(
        {context.size(0), context.size(2), context.size(1) * context.size(3)});
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B <= 0 || H <= 0 || capacity <= 0 || d <= 0) throw std::invalid_argument("make_cache: empty");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = cache.k.clone();
    cache.lengths.resize(B);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0);
    const Index H = cache.k.size(1);
    const Index capacity = cache.k.size(2);
    const Index d = cache.k.size(3);
    if (k.rank() != 4 || k.size(0) != B || k.size(1) != H || k.size(3) != d)
        throw std::invalid_argument("append: k does not match the cache");
    if (v.shape() != k.shape()) throw std::invalid_argument("append: v does not match k");
    const Index n = k.size(2);
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("append: counts");
    for (Index b = 0; b < B; ++b)
        if (counts[b] < 0 || counts[b] > n || cache.lengths[b] + counts[b] > capacity)
            throw std::invalid_argument("append: count of a sequence");

    for (Index b = 0; b < B; ++b) {
        const Index count = counts[b];
        const Index length = cache.lengths[b];
        if (count == 0) continue;
        cache.k[b].slice(1, length, length + count).copy_from(k[b]);
        cache.v[b].slice(1, length, length + count).copy_from(v[b]);
        cache.lengths[b] = length + count;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s)
                if (s > lengths[b] + t) mask(b, 0, t, s) = true;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("decode: x must have three axes");
    const Index H = cache.k.size(1);
    const std::vector<Index> old_lengths = cache.lengths;

    const Tensor q = to_heads(projections.q_proj.forward(x), H);
    const Tensor k = to_heads(projections.k_proj.forward(x), H);
    const Tensor v = to_heads(projections.v_proj.forward(x), H);
    append(cache, k, v, counts);

    Index S = 1;
    for (const Index length : cache.lengths)
        if (length > S) S = length;
    const Mask mask = decoding_mask(old_lengths, x.size(1), S);
    const Tensor context = attend(q, cache.k.slice(2, 0, S), cache.v.slice(2, 0, S), mask);
    return projections.out_proj.forward(from_heads(context));
}

}  // namespace headway::ex08
