// Row by row: a row is the d features of one token in one head.
#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex08 {
namespace {

void must(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

std::size_t nth(Index b) { return static_cast<std::size_t>(b); }

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    must(B > 0 && H > 0 && capacity > 0 && d > 0, "make_cache: a size below 1");
    Cache cache;
    cache.k = Tensor::zeros({B, H, capacity, d});
    cache.v = Tensor::zeros({B, H, capacity, d});
    cache.lengths.assign(nth(B), 0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    must(k.rank() == 4 && k.shape() == v.shape(), "append: k and v are (B, H, n, d)");
    const Index B = cache.k.size(0), H = cache.k.size(1), n = k.size(2);
    must(k.shape() == Shape{B, H, n, cache.k.size(3)}, "append: k does not fit the cache");
    must(counts.size() == nth(B), "append: a count for each sequence");
    for (Index b = 0; b < B; ++b) {
        must(counts[nth(b)] >= 0 && counts[nth(b)] <= n, "append: a count is not in [0, n]");
        must(cache.lengths[nth(b)] + counts[nth(b)] <= cache.k.size(2), "append: no room");
    }
    for (Index b = 0; b < B; ++b) {
        Index& end = cache.lengths[nth(b)];
        for (Index left = counts[nth(b)]; left > 0; --left, ++end)
            for (Index h = 0; h < H; ++h) {
                cache.k[b][h][end].copy_from(k[b][h][left - 1]);
                cache.v[b][h][end].copy_from(v[b][h][left - 1]);
            }
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask hidden = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = lengths[b] + t + 1; s < S; ++s) hidden(static_cast<Index>(b), 0, t, s) = true;
    return hidden;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    must(x.rank() == 3, "decode: x is (B, n, D)");
    const auto heads = [&](const nn::Linear& map) { return given::split_heads(map.forward(x), cache.k.size(1)); };
    const Mask mask = decoding_mask(cache.lengths, x.size(1), cache.k.size(2));
    const Tensor q = heads(projections.q_proj);
    append(cache, heads(projections.k_proj), heads(projections.v_proj), counts);
    return projections.out_proj.forward(
        given::merge_heads(given::scaled_dot_product_attention(q, cache.k, cache.v, mask).context));
}

}  // namespace headway::ex08
