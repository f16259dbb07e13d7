#include "kv_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1 || H < 1 || capacity < 1 || d < 1) throw std::invalid_argument("make_cache: bad size");
    Cache c;
    c.k = Tensor::zeros({B, H, capacity, d});
    c.v = Tensor::zeros({B, H, capacity, d});
    c.lengths = std::vector<Index>(static_cast<std::size_t>(B), 0);
    return c;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.shape() != k.shape()) throw std::invalid_argument("append: k, v");
    const Index B = cache.k.size(0), n = k.size(2), C = cache.k.size(2);
    if (k.size(0) != B || k.size(1) != cache.k.size(1) || k.size(3) != cache.k.size(3))
        throw std::invalid_argument("append: not this cache's shape");
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("append: counts");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 0 || counts[b] > n) throw std::invalid_argument("append: count");
        if (cache.lengths[b] + counts[b] > C) throw std::invalid_argument("append: full");
    }
    for (Index b = 0; b < B; ++b) {
        Index& len = cache.lengths[static_cast<std::size_t>(b)];
        const Index c = counts[static_cast<std::size_t>(b)];
        cache.k[b].slice(1, len, len + c).copy_from(k[b].slice(1, 0, c));
        cache.v[b].slice(1, len, len + c).copy_from(v[b].slice(1, 0, c));
        len += c;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = lengths[static_cast<std::size_t>(b)] + t + 1; s < S; ++s) mask(b, 0, t, s) = true;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3 || x.size(2) != projections.q_proj.weight.size(1)) throw std::invalid_argument("decode: x");
    if (x.size(0) != cache.k.size(0)) throw std::invalid_argument("decode: batch");
    const Index H = cache.k.size(1), n = x.size(1);
    const std::vector<Index> before = cache.lengths;
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);
    append(cache, k, v, counts);
    const Index S = *std::max_element(cache.lengths.begin(), cache.lengths.end());
    if (S == 0) return Tensor::zeros(x.shape());
    const Tensor keys = cache.k.slice(2, 0, S), values = cache.v.slice(2, 0, S);
    const bool prefill = std::all_of(before.begin(), before.end(), [](Index l) { return l == 0; });
    const Mask mask = prefill ? decoding_mask(before, n, S) : Mask{};
    const Tensor context = given::scaled_dot_product_context(q, keys, values, mask);
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
