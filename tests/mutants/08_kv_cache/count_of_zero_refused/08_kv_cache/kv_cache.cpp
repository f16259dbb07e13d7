#include "kv_cache.hpp"

#include <stdexcept>
#include <string>

// Sequence by sequence: each is a batch of one.
namespace headway::ex08 {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

Tensor sequence(const Tensor& tensor, Index b) { return tensor.slice(0, b, b + 1); }

void check_counts(const Cache& cache, const std::vector<Index>& counts, Index n) {
    if (counts.size() != cache.lengths.size()) refuse("there are not as many counts as sequences");
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 1) refuse("a count is below 1");
        if (counts[b] > n) refuse("a count is larger than n");
        if (cache.lengths[b] + counts[b] > cache.k.size(2)) refuse("sequence " + std::to_string(b) + " has no room");
    }
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1) refuse("make_cache: B < 1");
    if (H < 1) refuse("make_cache: H < 1");
    if (capacity < 1) refuse("make_cache: capacity < 1");
    if (d < 1) refuse("make_cache: d < 1");
    Cache cache{Tensor::zeros({B, H, capacity, d}), Tensor{}, {}};
    cache.v = cache.k.clone();
    cache.lengths.assign(static_cast<std::size_t>(B), 0);
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4) refuse("append: k is not (B, H, n, d)");
    Shape wanted = cache.k.shape();
    wanted[2] = k.size(2);
    if (k.shape() != wanted) refuse("append: k is " + to_string(k.shape()) + ", not " + to_string(wanted));
    if (v.shape() != wanted) refuse("append: v is " + to_string(v.shape()) + ", not " + to_string(wanted));
    check_counts(cache, counts, k.size(2));

    for (Index b = 0; b < k.size(0); ++b) {
        const Index begin = cache.lengths[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        for (Index t = 0; t < count; ++t) {
            cache.k[b].select(1, begin + t).copy_from(k[b].select(1, t));
            cache.v[b].select(1, begin + t).copy_from(v[b].select(1, t));
        }
        cache.lengths[static_cast<std::size_t>(b)] = begin + count;
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = lengths[static_cast<std::size_t>(b)] + t + 1; s < S; ++s) mask(b, 0, t, s) = true;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (x.rank() != 3) refuse("decode: x is not (B, n, D)");
    const Index n = x.size(1);
    if (x.size(0) != B) refuse("decode: x has another batch than the cache");
    if (projections.k_proj.weight.shape() != Shape{H * d, x.size(2)}) refuse("decode: the projections do not fit");
    check_counts(cache, counts, n);

    const auto heads = [H](const nn::Linear& projection, const Tensor& tokens) {
        return given::split_heads(projection.forward(tokens), H);
    };
    const Tensor q = heads(projections.q_proj, x);
    const std::vector<Index> before = cache.lengths;
    append(cache, heads(projections.k_proj, x), heads(projections.v_proj, x), counts);

    Tensor context = Tensor::zeros({B, H, n, d});
    for (Index b = 0; b < B; ++b) {
        const Index old = before[static_cast<std::size_t>(b)];
        const Index count = counts[static_cast<std::size_t>(b)];
        const Index S = old + count;
        if (count == 0) continue;  // nothing but padding
        const Tensor keys = sequence(cache.k, b).slice(2, 0, S);
        const Tensor values = sequence(cache.v, b).slice(2, 0, S);
        const Tensor queries = sequence(q, b).slice(2, 0, count);
        sequence(context, b)
            .slice(2, 0, count)
            .copy_from(given::scaled_dot_product_context(queries, keys, values, decoding_mask({old}, count, S)));
    }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
