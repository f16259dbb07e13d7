#include "kv_cache.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B < 1) throw std::invalid_argument("B");
    if (H < 1) throw std::invalid_argument("H");
    if (capacity < 1) throw std::invalid_argument("capacity");
    if (d < 1) throw std::invalid_argument("d");
    Tensor k = Tensor::full({B, H, capacity, d}, 0);
    Tensor v = Tensor::full({B, H, capacity, d}, 0);
    std::vector<Index> lengths(B, 0);
    return Cache{k, v, lengths};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Shape& have = cache.k.shape();
    if (k.rank() != 4 || k.size(0) != have[0] || k.size(1) != have[1] || k.size(3) != have[3])
        throw std::invalid_argument("append: k is " + to_string(k.shape()) + ", the cache " + to_string(have));
    if (v.shape() != k.shape()) throw std::invalid_argument("append: v is " + to_string(v.shape()));
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("append: counts");
    std::vector<Index> after = cache.lengths;
    for (std::size_t b = 0; b < counts.size(); ++b) {
        if (counts[b] < 0 || counts[b] > k.size(2)) throw std::invalid_argument("append: count");
        after[b] += counts[b];
        if (after[b] > have[2]) throw std::invalid_argument("append: full");
    }

    for (Index b = 0; b < have[0]; ++b) {
        for (Index h = 0; h < have[1]; ++h) {
            for (Index t = 0; t < counts[b]; ++t) {
                const Index position = cache.lengths[b] + t;
                cache.k[b][h][position].copy_from(k[b][h][t]);
                cache.v[b][h][position].copy_from(v[b][h][t]);
            }
        }
    }
    cache.lengths = after;
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Index B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < n; ++t) {
            const Index position = lengths[b] + t;
            for (Index s = 0; s < S; ++s)
                if (s > position) mask(b, 0, t, s) = true;
        }
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("decode: x is " + to_string(x.shape()));
    const Index n = x.size(1);
    const Index H = cache.k.size(1);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    const Tensor k = given::split_heads(projections.k_proj.forward(x), H);
    const Tensor v = given::split_heads(projections.v_proj.forward(x), H);

    const std::vector<Index> before = cache.lengths;
    append(cache, k, v, counts);
    const Index S = std::max<Index>(1, *std::max_element(cache.lengths.begin(), cache.lengths.end()));

    Mask mask;
    if (n > 1) mask = decoding_mask(before, n, S);
    const given::Attended attended =
        given::scaled_dot_product_attention(q, cache.k.slice(2, 0, S), cache.v.slice(2, 0, S), mask);
    return projections.out_proj.forward(given::merge_heads(attended.context));
}

}  // namespace headway::ex08
