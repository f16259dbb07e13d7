#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace headway::ex08 {
namespace {

void require(bool fits, const std::string& message) {
    if (!fits) throw std::invalid_argument(message);
}

void check_counts(const Cache& cache, const std::vector<Index>& counts, Index n) {
    require(counts.size() == cache.lengths.size(), "one count for each sequence is needed");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        require(counts[b] >= 0 && counts[b] <= n, "a count is not in [0, n]");
        require(cache.lengths[b] + counts[b] <= cache.k.size(2), "a sequence would outgrow the capacity");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    require(B >= 1 && H >= 1 && capacity >= 1 && d >= 1, "make_cache: sizes must be at least 1");
    const Shape shape{B, H, capacity, d};
    return {Tensor::zeros(shape), Tensor::zeros(shape), std::vector<Index>(static_cast<std::size_t>(B), 0)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    require(k.rank() == 4 && v.rank() == 4, "append: k and v are (B, H, n, d)");
    const Index n = k.size(2);
    const Shape expected{cache.k.size(0), cache.k.size(1), n, cache.k.size(3)};
    require(k.shape() == expected, "append: k does not fit the cache");
    require(v.shape() == expected, "append: v does not fit the cache");
    check_counts(cache, counts, n);

    for (Index b = 0; b < cache.k.size(0); ++b) {
        Index& length = cache.lengths[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        if (count == 0) continue;
        cache.k[b].slice(1, length, length + count).copy_from(k[b].slice(1, 0, count));
        cache.v[b].slice(1, length, length + count).copy_from(v[b].slice(1, 0, count));
        length += count;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    if (S == n) return given::causal_mask(n, S).expand({B, 1, n, S});  // a prompt
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = s > lengths[static_cast<std::size_t>(b)] + t;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    require(x.rank() == 3 && x.size(0) == B, "decode: x is (B, n, D)");
    require(x.size(2) == projections.q_proj.weight.size(1), "decode: the projections do not fit x");
    require(H * d == projections.q_proj.weight.size(0), "decode: the projections do not fit the cache");
    const Index n = x.size(1);
    check_counts(cache, counts, n);

    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);

    const std::vector<Index> before = cache.lengths;
    append(cache, k, v, counts);
    const Index S = std::max<Index>(1, *std::max_element(cache.lengths.begin(), cache.lengths.end()));
    const Tensor context = given::scaled_dot_product_context(q, cache.k.slice(2, 0, S), cache.v.slice(2, 0, S),
                                                             decoding_mask(before, n, S));
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
