#include "kv_cache.hpp"

#include <stdexcept>

namespace headway::ex08 {

using nn::Linear;

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size <= 0) throw std::invalid_argument("make_cache: " + std::to_string(size));
    const Tensor nothing = Tensor::zeros({B, H, capacity, d});
    return {nothing, nothing.clone(), std::vector<Index>(static_cast<std::size_t>(B), 0)};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4 || k.shape() != v.shape()) throw std::invalid_argument("k and v");
    const Index B = k.size(0), H = k.size(1), n = k.size(2), d = k.size(3);
    if (Shape{B, H, cache.k.size(2), d} != cache.k.shape()) throw std::invalid_argument("not of this cache");
    if (counts.size() != cache.lengths.size()) throw std::invalid_argument("counts");
    std::vector<Index> after = cache.lengths;
    for (Index b = 0; b < B; ++b) {
        const Index count = counts.at(b);
        if (count < 0 || n < count) throw std::invalid_argument("counts are in [0, n]");
        after[b] += count;
        if (after[b] > cache.k.size(2)) throw std::invalid_argument("cache overflow");
    }
    for (Index b = 0; b < B; ++b)
        for (Index position = cache.lengths[b], t = 0; position < after[b]; ++position, ++t) {
            cache.k[b].select(1, position).copy_from(k[b].select(1, t));  // (H, d)
            cache.v[b].select(1, position).copy_from(v[b].select(1, t));
        }
    cache.lengths = after;
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    const auto B = static_cast<Index>(lengths.size());
    Mask mask = Mask::allow_all({B, 1, n, S});
    for (Index t = 0; t < n; ++t) {
        std::vector<Index> visible = lengths;
        for (Index& count : visible) count = std::min(count + t + 1, S);
        const Mask row = given::padding_mask(visible, S);  // (B, 1, 1, S)
        for (Index b = 0; b < B; ++b)
            for (Index s = 0; s < S; ++s) mask(b, 0, t, s) = row(b, 0, 0, s);
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index heads = cache.k.size(1);
    const auto project = [&](const Linear& linear) { return given::split_heads(linear.forward(x), heads); };
    append(cache, project(projections.k_proj), project(projections.v_proj), counts);
    const auto attended = given::scaled_dot_product_attention(project(projections.q_proj), cache.k, cache.v);
    return projections.out_proj.forward(given::merge_heads(attended.context));
}

}  // namespace headway::ex08
