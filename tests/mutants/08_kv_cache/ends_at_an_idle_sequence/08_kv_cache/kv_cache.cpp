// Views and the library. Each sequence is attended for itself, over exactly the positions it has, so the mask is the
// plain causal one of exercise 03 and nothing that lies behind is ever read.
#include "kv_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (std::min({B, H, capacity, d}) < 1) throw std::invalid_argument("make_cache: all sizes must be at least 1");
    const Shape shape{B, H, capacity, d};
    return {.k = Tensor::zeros(shape),
            .v = Tensor::zeros(shape),
            .lengths = std::vector<Index>(static_cast<std::size_t>(B))};
}

static void require_room(const Cache& cache, Index n, const std::vector<Index>& counts) {
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("a count for each sequence is needed");
    for (std::size_t b = 0; b < counts.size(); ++b)
        if (counts[b] < 0 || counts[b] > n || counts[b] > cache.k.size(2) - cache.lengths[b])
            throw std::invalid_argument("sequence " + std::to_string(b) + " cannot take " + std::to_string(counts[b]));
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4) throw std::invalid_argument("append: k");
    const Index n = k.size(2);
    const Shape expected{cache.k.size(0), cache.k.size(1), n, cache.k.size(3)};
    if (k.shape() != expected || v.shape() != expected) throw std::invalid_argument("append: expected (B, H, n, d)");
    require_room(cache, n, counts);
    for (Index b = 0; b < k.size(0); ++b) {
        Index& length = cache.lengths[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        cache.k[b].slice(1, length, length + count).copy_from(k[b].slice(1, 0, count));
        cache.v[b].slice(1, length, length + count).copy_from(v[b].slice(1, 0, count));
        length += count;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t) {
            const Index seen = std::min(S, lengths[static_cast<std::size_t>(b)] + t + 1);
            for (Index s = 0; s < seen; ++s) mask(b, 0, t, s) = false;
        }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (x.rank() != 3 || x.size(0) != B || x.size(2) != projections.q_proj.weight.size(1) ||
        projections.q_proj.weight.size(0) != H * d)
        throw std::invalid_argument("decode: x " + to_string(x.shape()) + " does not fit");
    const Index n = x.size(1);
    require_room(cache, n, counts);
    const auto heads = [H](const Tensor& projected) { return given::split_heads(projected, H); };
    const Tensor q = heads(projections.q_proj.forward(x));
    append(cache, heads(projections.k_proj.forward(x)), heads(projections.v_proj.forward(x)), counts);

    Tensor context = Tensor::zeros({B, H, n, d});
    for (Index b = 0; b < B; ++b) {
        const Index count = counts[static_cast<std::size_t>(b)];
        const Index length = cache.lengths[static_cast<std::size_t>(b)];
        if (count == 0) break;
        const Tensor attended = given::scaled_dot_product_context(
            q.slice(0, b, b + 1).slice(2, 0, count), cache.k.slice(0, b, b + 1).slice(2, 0, length),
            cache.v.slice(0, b, b + 1).slice(2, 0, length), given::causal_mask(count, length));
        context.slice(0, b, b + 1).slice(2, 0, count).copy_from(attended);
    }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
