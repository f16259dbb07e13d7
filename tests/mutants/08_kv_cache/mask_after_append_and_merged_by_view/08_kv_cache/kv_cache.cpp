#include "kv_cache.hpp"

#include <stdexcept>

namespace headway::ex08 {

namespace {

struct Sizes {
    Index B, H, C, d;
};

Sizes sizes_of(const Cache& cache) { return {cache.k.size(0), cache.k.size(1), cache.k.size(2), cache.k.size(3)}; }

bool fits(const Tensor& tensor, const Sizes& is, Index n) {
    return tensor.rank() == 4 && tensor.size(0) == is.B && tensor.size(1) == is.H && tensor.size(2) == n &&
           tensor.size(3) == is.d;
}

Index longest(const std::vector<Index>& lengths) {
    Index result = 1;
    for (const Index length : lengths) {
        if (length > result) result = length;
    }
    return result;
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1) throw std::invalid_argument("make_cache: B");
    if (H < 1) throw std::invalid_argument("make_cache: H");
    if (capacity < 1) throw std::invalid_argument("make_cache: capacity");
    if (d < 1) throw std::invalid_argument("make_cache: d");
    Cache cache{Tensor::zeros({B, H, capacity, d}), Tensor::zeros({B, H, capacity, d}), {}};
    for (Index b = 0; b < B; ++b) cache.lengths.push_back(0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Sizes is = sizes_of(cache);
    const Index n = k.size(2);
    if (!fits(k, is, n) || !fits(v, is, n)) throw std::invalid_argument("append: k or v has a wrong shape");
    if (static_cast<Index>(counts.size()) != is.B) throw std::invalid_argument("append: counts");
    std::vector<Index> after = cache.lengths;
    for (Index b = 0; b < is.B; ++b) {
        if (counts[b] < 0 || counts[b] > n) throw std::invalid_argument("append: counts");
        after[b] += counts[b];
        if (after[b] > is.C) throw std::invalid_argument("append: full");
    }
    for (Index b = 0; b < is.B; ++b) {
        for (Index t = 0; t < counts[b]; ++t) {
            // (H, d) <- (H, d)
            cache.k[b].select(1, cache.lengths[b] + t).copy_from(k[b].select(1, t));
            cache.v[b].select(1, cache.lengths[b] + t).copy_from(v[b].select(1, t));
        }
    }
    cache.lengths = after;
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < n; ++t) {
            for (Index s = 0; s < S; ++s) {
                if (s <= lengths[b] + t) mask(b, 0, t, s) = false;
            }
        }
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Sizes is = sizes_of(cache);
    if (x.rank() != 3 || x.size(0) != is.B) throw std::invalid_argument("decode: x has a wrong shape");
    const Index n = x.size(1);

    const Tensor q = given::split_heads(projections.q_proj.forward(x), is.H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), is.H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), is.H);
    append(cache, k, v, counts);

    const Index S = longest(cache.lengths);
    const Mask mask = decoding_mask(cache.lengths, n, S);
    const Tensor context =
        given::scaled_dot_product_context(q, cache.k.slice(2, 0, S), cache.v.slice(2, 0, S), mask);  // (B, H, n, d)
    const Tensor merged = context.view({is.B, n, is.H * is.d});
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
