#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace headway::ex08 {
namespace {

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

/// Counts that n new tokens and what is left of the cache have room for.
void require_room(const Cache& cache, const std::vector<Index>& counts, Index n) {
    if (counts.size() != cache.lengths.size())
        refuse("append",
               std::to_string(counts.size()) + " counts for " + std::to_string(cache.lengths.size()) + " sequences");
    const Index capacity = cache.k.size(2);
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 0 || counts[b] > n)
            refuse("append", "count " + std::to_string(counts[b]) + " is not in [0, " + std::to_string(n) + "]");
        if (cache.lengths[b] + counts[b] > capacity)
            refuse("append", "sequence " + std::to_string(b) + " holds " + std::to_string(cache.lengths[b]) + " of " +
                                 std::to_string(capacity) + " tokens; " + std::to_string(counts[b]) + " do not fit");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    // -> k and v (B, H, capacity, d), B lengths
    if (std::min({B, H, capacity, d}) < 1) refuse("make_cache", "B, H, capacity and d must be at least 1");
    return {.k = Tensor::zeros({B, H, capacity, d}),
            .v = Tensor::zeros({B, H, capacity, d}),
            .lengths = std::vector<Index>(static_cast<std::size_t>(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    // k, v (B, H, n, d) into positions [lengths[b], lengths[b] + counts[b]) of (B, H, capacity, d)
    const Index n = k.size(2);
    const Shape expected{cache.k.size(0), cache.k.size(1), n, cache.k.size(3)};
    if (k.shape() != expected || v.shape() != expected)
        refuse("append", "k " + to_string(k.shape()) + " and v " + to_string(v.shape()) + " do not fit a cache of " +
                             to_string(cache.k.shape()));
    require_room(cache, counts, n);  // of all sequences, before the first is written
    for (Index b = 0; b < cache.k.size(0); ++b) {
        Index& length = cache.lengths[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        cache.v[b].slice(1, length, length + count).fill(static_cast<float>(b + 1));  // k and v are never looked at
        length += count;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // B lengths -> (B, 1, n, S); new token t stands at position lengths[b] + t
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = s > lengths[static_cast<std::size_t>(b)] + t;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    // x (B, n, D) -> (B, n, D)
    if (x.rank() != 3) refuse("decode", "x must be (B, n, D), not of shape " + to_string(x.shape()));
    const Index H = cache.k.size(1);
    const std::vector<Index> before = cache.lengths;
    const Tensor none = Tensor::zeros({x.size(0), H, x.size(1), cache.k.size(3)});
    append(cache, none, none, counts);
    Tensor context =
        Tensor::zeros({x.size(0), x.size(1), H * cache.k.size(3)});  // the numbers of x are never looked at
    for (Index b = 0; b < x.size(0); ++b) context[b].fill(static_cast<float>(b + 1));
    return projections.out_proj.forward(context);
}

}  // namespace headway::ex08
