#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>

// One attention for the whole batch, as the hint has it. What lies past a sequence's end is copied as 0, because
// it never counts, not even if it is NaN (0 · NaN is NaN).

namespace headway::ex08 {
namespace {

enum class Problem { none, shape, count, capacity };

Problem find_problem(const Cache& cache, Index B, Index n, const std::vector<Index>& counts) {
    if (B != cache.k.size(0) || static_cast<Index>(counts.size()) != B) return Problem::shape;
    for (Index b = 0; b < B; ++b) {
        if (counts[b] < 0 || n < counts[b]) return Problem::count;
        if (cache.k.size(2) < cache.lengths[b] + counts[b]) return Problem::capacity;
    }
    return Problem::none;
}

void refuse(Problem problem) {
    switch (problem) {
        case Problem::none:
            return;
        case Problem::shape:
            throw std::invalid_argument("a shape does not fit the cache");
        case Problem::count:
            throw std::invalid_argument("counts must lie in [0, n]");
        case Problem::capacity:
            throw std::invalid_argument("the cache is too small");
    }
}

/// (B, H, S, d): what sequences hold, and zeros.
Tensor filled(const Tensor& stored, const std::vector<Index>& lengths, Index S) {
    Tensor result = Tensor::zeros({stored.size(0), stored.size(1), S, stored.size(3)});
    for (Index b = 0; b < stored.size(0); ++b)
        result[b].slice(1, 0, lengths[b]).copy_from(stored[b].slice(1, 0, lengths[b]));
    return result;
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (Index size : {B, H, capacity, d})
        if (size <= 0) throw std::invalid_argument("make_cache: a size is below 1");
    Tensor k = Tensor::zeros({B, H, capacity, d});
    return {k, k.clone(), std::vector<Index>(static_cast<std::size_t>(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) refuse(Problem::shape);
    const Index n = k.size(2);
    const Shape shape{cache.k.size(0), cache.k.size(1), n, cache.k.size(3)};
    if (k.shape() != shape || v.shape() != shape) refuse(Problem::shape);
    refuse(find_problem(cache, k.size(0), n, counts));
    for (Index b = 0; b < k.size(0); ++b)
        for (Index t = 0; t < counts[b]; ++t) {
            const Index position = cache.lengths[b]++;
            cache.k.select(0, b).select(1, position).copy_from(k.select(0, b).select(1, t));
            cache.v.select(0, b).select(1, position).copy_from(v.select(0, b).select(1, t));
        }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // A new token is a query with lengths[b] + t + 1 keys: a padding mask with B·n sequences.
    const Index B = static_cast<Index>(lengths.size());
    if (B * n * S == 0) return Mask::allow_all({B, 1, n, S});
    std::vector<Index> visible;
    for (const Index length : lengths)
        for (Index t = 0; t < n; ++t) visible.push_back(std::min(length + t + 1, S));
    return given::padding_mask(visible, S).clone().as_strided({B, 1, n, S}, {n * S, n * S, S, 1}, 0);
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) refuse(Problem::shape);
    const Index B = x.size(0), n = x.size(1), D = x.size(2), H = cache.k.size(1), E = H * cache.k.size(3);
    refuse(find_problem(cache, B, n, counts));
    if (projections.q_proj.weight.shape() != Shape{E, D} || projections.k_proj.weight.shape() != Shape{E, D} ||
        projections.v_proj.weight.shape() != Shape{E, D} || projections.out_proj.weight.shape() != Shape{D, E})
        refuse(Problem::shape);
    const auto project = [&](const nn::Linear& linear) { return given::split_heads(linear.forward(x), H); };
    const Tensor q = project(projections.q_proj), k = project(projections.k_proj), v = project(projections.v_proj);
    const std::vector<Index> before = cache.lengths;
    append(cache, k, v, counts);
    const Index S = std::max<Index>(1, *std::max_element(cache.lengths.begin(), cache.lengths.end()));
    if (n == 0) return projections.out_proj.forward(Tensor::zeros({B, 0, E}));
    const Tensor context =
        given::scaled_dot_product_context(q, filled(cache.k, cache.lengths, S), filled(cache.v, cache.lengths, S),
                                          given::causal_mask(n, S) | given::padding_mask(cache.lengths, S));
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
