#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

// The whole batch at once: what lies past the end of a sequence is zeroed in a copy, and masked.
namespace headway::ex08 {
namespace {

void must_be(const Tensor& tensor, const Shape& shape, const std::string& name) {
    if (tensor.shape() != shape)
        throw std::invalid_argument(name + ": " + to_string(tensor.shape()) + " in place of " + to_string(shape));
}

void must_have_room(const Cache& cache, const std::vector<Index>& counts, Index n) {
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("one count for each sequence");
    const Index capacity = cache.k.size(2);
    const auto fits = [&](Index count, Index length) { return count >= 0 && count <= n && count <= capacity - length; };
    if (!std::equal(counts.begin(), counts.end(), cache.lengths.begin(), fits))
        throw std::invalid_argument("a count does not fit");
}

/// Positions [0, S), with zeros in place of what does not count.
Tensor filled(const Tensor& kept, const std::vector<Index>& lengths, Index S) {
    Tensor result = Tensor::zeros({kept.size(0), kept.size(1), S, kept.size(3)});
    for (Index b = 0; b < kept.size(0); ++b)
        if (const Index length = lengths[static_cast<std::size_t>(b)]; length > 0)
            result[b].slice(1, 0, length).copy_from(kept[b].slice(1, 0, length));
    return result;
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size < 1) throw std::invalid_argument("make_cache: a size is below 1");
    const Shape shape{B, H, capacity, d};
    const Tensor k = Tensor::zeros(shape);
    const Tensor v = Tensor::zeros(shape);
    return Cache{k, v, std::vector<Index>(static_cast<std::size_t>(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4) throw std::invalid_argument("append: k is (B, H, n, d)");
    const Shape shape{cache.k.size(0), cache.k.size(1), k.size(2), cache.k.size(3)};
    must_be(k, shape, "append: k");
    must_be(v, shape, "append: v");
    must_have_room(cache, counts, k.size(2));

    const bool own = k.shares_storage_with(cache.k) || k.shares_storage_with(cache.v) ||
                     v.shares_storage_with(cache.k) || v.shares_storage_with(cache.v);
    const Tensor new_k = own ? k.clone() : k, new_v = own ? v.clone() : v;
    for (Index b = 0; b < k.size(0); ++b) {
        Index& length = cache.lengths[static_cast<std::size_t>(b)];
        for (Index t = 0; t < counts[static_cast<std::size_t>(b)]; ++t, ++length) {
            cache.k[b].select(1, length).copy_from(new_k[b].select(1, t));  // (H, d)
            cache.v[b].select(1, length).copy_from(new_v[b].select(1, t));
        }
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    bool* blocked = mask.data();
    for (const Index length : lengths)
        for (Index position = length; position < length + n; ++position)
            for (Index s = 0; s < S; ++s) *blocked++ = s > position;
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("decode: x is (B, n, D)");
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), n = x.size(1), D = x.size(2);
    must_be(x, {B, n, D}, "decode: x");
    must_be(projections.q_proj.weight, {H * d, D}, "decode: q_proj");
    must_be(projections.k_proj.weight, {H * d, D}, "decode: k_proj");
    must_be(projections.v_proj.weight, {H * d, D}, "decode: v_proj");
    must_be(projections.out_proj.weight, {D, H * d}, "decode: out_proj");
    must_have_room(cache, counts, n);

    const auto heads = [&](const nn::Linear& map) { return given::split_heads(map.forward(x), H); };
    const Tensor q = heads(projections.q_proj);
    const std::vector<Index> before = cache.lengths;
    append(cache, heads(projections.k_proj), heads(projections.v_proj), counts);

    const Index S = *std::max_element(cache.lengths.begin(), cache.lengths.end());
    const Tensor keys = filled(cache.k, cache.lengths, S), values = filled(cache.v, cache.lengths, S);
    const Tensor scores = masked_fill(matmul(q, keys.transpose(2, 3)) / std::sqrt(static_cast<float>(d)),
                                      decoding_mask(before, n, S), -std::numeric_limits<float>::infinity());
    const Tensor shares = exp(scores - max(scores, -1, KeepAxis::yes));  // every row sees position 0
    const Tensor context = matmul(shares, values) / sum(shares, -1, KeepAxis::yes);
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
