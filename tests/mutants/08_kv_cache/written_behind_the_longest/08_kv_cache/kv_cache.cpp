#include "kv_cache.hpp"

#include <stdexcept>
#include <string>

namespace headway::ex08 {
namespace {

using std::invalid_argument;

void check(bool ok, const std::string& what) {
    if (!ok) throw invalid_argument(what);
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    check(B > 0 && H > 0 && capacity > 0 && d > 0, "make_cache: nothing to keep");
    const Shape shape = {B, H, capacity, d};
    return Cache{Tensor::zeros(shape), Tensor::zeros(shape), std::vector<Index>(B, 0)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    check(k.rank() == 4 && v.rank() == 4, "append: rank");
    for (Index axis : {0, 1, 3})
        check(k.size(axis) == cache.k.size(axis) && v.size(axis) == cache.v.size(axis), "append: sizes");
    check(k.size(2) == v.size(2), "append: as many keys as values");
    check(counts.size() == cache.lengths.size(), "append: counts");
    for (std::size_t b = 0; b != counts.size(); ++b) {
        check(counts[b] >= 0 && counts[b] <= k.size(2), "append: no such count");
        check(cache.lengths[b] + counts[b] <= cache.k.size(2), "append: out of room");
    }
    const Index longest = *std::max_element(cache.lengths.begin(), cache.lengths.end());
    for (std::size_t b = 0; b != counts.size(); ++b)
        check(longest + counts[b] <= cache.k.size(2), "append: out of room");
    for (std::size_t b = 0; b != counts.size(); ++b) {
        const Index from = longest;
        const Index to = from + counts[b];
        Tensor room_k = cache.k.slice(0, b, b + 1).slice(2, from, to);
        Tensor room_v = cache.v.slice(0, b, b + 1).slice(2, from, to);
        room_k.copy_from(k.slice(0, b, b + 1).slice(2, 0, counts[b]));
        room_v.copy_from(v.slice(0, b, b + 1).slice(2, 0, counts[b]));
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = lengths.size();
    Mask mask = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s < S && s <= lengths[b] + t; ++s) mask(b, 0, t, s) = false;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    check(x.rank() == 3, "decode: x");
    const Index H = cache.k.size(1);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);
    append(cache, k, v, counts);
    Tensor context = Tensor::zeros(q.shape());
    for (Index b = 0; b < x.size(0); ++b) {
        const Index count = counts[b];
        if (count == 0) continue;
        const Index S = cache.lengths[b];
        const Tensor queries = q.slice(0, b, b + 1).slice(2, 0, count);
        const Tensor keys = cache.k.slice(0, b, b + 1).slice(2, 0, S);
        const Tensor values = cache.v.slice(0, b, b + 1).slice(2, 0, S);
        const Mask mask = given::causal_mask(count, S);  // the last query sees all
        context.slice(0, b, b + 1)
            .slice(2, 0, count)
            .copy_from(given::scaled_dot_product_attention(queries, keys, values, mask).context);
    }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
