#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace headway::ex08 {
namespace {

void require(bool fits, const std::string& what) {
    if (!fits) throw std::invalid_argument(what);
}

/// Everything about counts that can be wrong.
void check_counts(const Cache& cache, const std::vector<Index>& counts, Index n) {
    require(counts.size() == cache.lengths.size(), "one count per sequence is needed");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        require(counts[b] >= 0 && counts[b] <= n, "a count is outside [0, n]");
        require(cache.lengths[b] + counts[b] <= cache.k.size(2), "a sequence would outgrow the capacity");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    require(B >= 1 && H >= 1 && capacity >= 1 && d >= 1, "make_cache: every size must be at least 1");
    const Shape shape{B, H, capacity, d};
    return {Tensor::zeros(shape), Tensor::zeros(shape), std::vector<Index>(static_cast<std::size_t>(B), 0)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    require(k.rank() == 4 && k.shape() == v.shape(), "append: k and v must be (B, H, n, d)");
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), n = k.size(2);
    require(k.shape() == Shape{B, H, n, d}, "append: k and v do not fit the cache");
    check_counts(cache, counts, n);
    for (Index b = 0; b < B; ++b) {
        const Index begin = cache.lengths[b], end = begin + counts[b];
        cache.k[b].slice(1, begin, end).clone().copy_from(k[b].slice(1, 0, counts[b]));
        cache.v[b].slice(1, begin, end).clone().copy_from(v[b].slice(1, 0, counts[b]));
        cache.lengths[b] = end;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = s > lengths[b] + t;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), E = H * d;
    require(x.rank() == 3 && x.size(0) == B, "decode: x must be (B, n, D)");
    const Index n = x.size(1), D = x.size(2);
    for (const nn::Linear* in : {&projections.q_proj, &projections.k_proj, &projections.v_proj})
        require(in->weight.shape() == Shape{E, D}, "decode: a projection does not fit");
    require(projections.out_proj.weight.shape() == Shape{D, E}, "decode: out_proj does not fit");
    check_counts(cache, counts, n);

    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);
    const std::vector<Index> before = cache.lengths;
    append(cache, k, v, counts);

    // Sequence by sequence: each sees exactly the keys that it has.
    Tensor context = Tensor::zeros({B, H, n, d});
    for (Index b = 0; b < B; ++b) {
        const Index S = cache.lengths[b];
        if (S == 0 || n == 0) continue;  // padding only
        const Tensor keys = cache.k.slice(0, b, b + 1).slice(2, 0, S);
        const Tensor values = cache.v.slice(0, b, b + 1).slice(2, 0, S);
        const Tensor queries = q.slice(0, b, b + 1);
        context.slice(0, b, b + 1)
            .copy_from(given::scaled_dot_product_context(queries, keys, values, decoding_mask({before[b]}, n, S)));
    }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
