#include "kv_cache.hpp"

#include <stdexcept>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size < 1) throw std::invalid_argument("make_cache: sizes start at 1");
    Cache result;
    result.k = Tensor::zeros({B, H, capacity, d});
    result.v = Tensor::zeros({B, H, capacity, d});
    result.lengths.assign(static_cast<std::size_t>(B), 0);
    return result;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Shape& room = cache.k.shape();
    if (k.rank() != 4) throw std::invalid_argument("append: rank");
    const Shape wanted{room[0], room[1], k.size(2), room[3]};
    if (k.shape() != wanted || v.shape() != wanted) throw std::invalid_argument("append: shape");
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("append: counts");
    std::vector<Index> after = cache.lengths;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 0 || counts[b] > wanted[2]) throw std::invalid_argument("append: a count");
        after[b] += counts[b];
        if (after[b] > room[2]) throw std::invalid_argument("append: full");
    }
    for (std::size_t b = 0; b < counts.size(); ++b)
        for (Index t = 0; t < counts[b]; ++t) {
            const auto row = static_cast<Index>(b);
            cache.k.select(0, row).select(1, cache.lengths[b] + t).copy_from(k.select(0, row).select(1, t));
            cache.v.select(0, row).clone().select(1, cache.lengths[b] + t).copy_from(v.select(0, row).select(1, t));
        }
    cache.lengths = after;
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    Index b = 0;
    for (const Index length : lengths) {
        for (Index t = 0; t < n; ++t)
            for (Index s = length + t + 1; s < S; ++s) mask(b, 0, t, s) = true;
        ++b;
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (x.rank() != 3 || x.size(0) != B || x.size(2) != projections.q_proj.weight.size(1) ||
        projections.q_proj.weight.size(0) != H * d)
        throw std::invalid_argument("decode: shape");
    if (static_cast<Index>(counts.size()) != B) throw std::invalid_argument("decode: counts");
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);
    append(cache, k, v, counts);  // throws before it writes, if it throws
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);

    // One sequence after the other, each with its own keys only: then the causal mask of lesson 03 is right.
    Tensor context = Tensor::zeros({B, H, x.size(1), d});
    for (Index b = 0; b < B; ++b) {
        const Index count = counts[static_cast<std::size_t>(b)], S = cache.lengths[static_cast<std::size_t>(b)];
        if (count == 0) continue;
        const auto only = [b](const Tensor& t, Index end) { return t.slice(0, b, b + 1).slice(2, 0, end); };
        only(context, count)
            .copy_from(given::scaled_dot_product_context(only(q, count), only(cache.k, S), only(cache.v, S),
                                                         given::causal_mask(count, S)));
    }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
