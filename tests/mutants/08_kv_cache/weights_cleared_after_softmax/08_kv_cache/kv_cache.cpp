// Rows of the cache are copied by std::copy_n; weights are a tensor of their own, which is cleared where the mask
// blocks.
#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace headway::ex08 {
namespace {

void demand(bool fulfilled, const char* what) {
    if (!fulfilled) throw std::invalid_argument(what);
}

/// e^(x - largest) / sum, along the keys.
Tensor shares(const Tensor& scores) {
    const Tensor raised = exp(scores - max(scores, -1, KeepAxis::yes));
    return raised / sum(raised, -1, KeepAxis::yes);
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    demand(std::min({B, H, capacity, d}) > 0, "make_cache: a size is below 1");
    const Shape shape{B, H, capacity, d};
    return {.k = Tensor::zeros(shape), .v = Tensor::zeros(shape), .lengths = std::vector<Index>(B)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    Shape shape = cache.k.shape();
    const Index B = shape[0], H = shape[1], C = shape[2], d = shape[3];
    demand(k.rank() == 4 && v.rank() == 4, "append: k and v have four axes");
    const Index n = shape[2] = k.size(2);
    demand(k.shape() == shape && v.shape() == shape, "append: k or v does not fit the cache");
    demand(std::ssize(counts) == B, "append: a count for each sequence");
    for (Index b = 0; b < B; ++b)
        demand(counts[b] >= 0 && counts[b] <= std::min(n, C - cache.lengths[b]), "append: a count, or no room for it");
    for (const auto& [held, given] : {std::pair{cache.k, k.contiguous()}, std::pair{cache.v, v.contiguous()}}) {
        Tensor rows = held;
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                std::copy_n(given.data() + (b * H + h) * n * d, counts[b] * d,
                            rows.select(0, b).select(0, h).slice(0, cache.lengths[b], C).data());
    }
    for (Index b = 0; b < B; ++b) cache.lengths[b] += counts[b];
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (Index b = 0; b < mask.size(0); ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < std::min(lengths[b] + t + 1, S); ++s) mask(b, 0, t, s) = false;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    demand(x.rank() == 3, "decode: x is (B, n, D)");
    const Index H = cache.k.size(1), d = cache.k.size(3);
    const auto heads = [&](const auto& linear) { return given::split_heads(linear.forward(x), H); };
    const Tensor q = heads(projections.q_proj) / std::sqrt(static_cast<float>(d));
    const std::vector<Index> before = cache.lengths;
    append(cache, heads(projections.k_proj), heads(projections.v_proj), counts);
    const Index S = std::max<Index>(1, std::ranges::max(cache.lengths));
    const Tensor keys = cache.k.slice(2, 0, S), values = cache.v.slice(2, 0, S);
    const Tensor weights = shares(matmul(q, keys.transpose(-2, -1)));
    const Tensor seen = masked_fill(weights, decoding_mask(before, x.size(1), S), 0);
    return projections.out_proj.forward(given::merge_heads(matmul(seen, values)));
}

}  // namespace headway::ex08
