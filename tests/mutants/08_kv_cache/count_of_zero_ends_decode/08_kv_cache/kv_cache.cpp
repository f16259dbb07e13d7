#include "kv_cache.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d}) {
        if (size < 1) throw std::invalid_argument("make_cache: a size is below 1");
    }
    const Shape shape{B, H, capacity, d};
    std::vector<Index> lengths(B, 0);
    return {Tensor::zeros(shape), Tensor::zeros(shape), lengths};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3), n = k.size(2);
    const Shape chunk{B, H, n, d};
    if (k.shape() != chunk || v.shape() != chunk) throw std::invalid_argument("append: shapes");
    if (counts.size() != static_cast<std::size_t>(B)) throw std::invalid_argument("append: counts");
    for (Index b = 0; b < B; ++b)
        if (counts[b] < 0 || counts[b] > n || cache.lengths[b] + counts[b] > C)
            throw std::invalid_argument("append: sequence " + std::to_string(b));
    const Tensor from_k = k.contiguous(), from_v = v.contiguous();
    for (Index b = 0; b < B; ++b) {
        for (Index h = 0; h < H; ++h) {
            for (Index t = 0; t < counts[b]; ++t) {
                const Index source = ((b * H + h) * n + t) * d;
                const Index target = cache.lengths[b] + t;
                std::copy_n(from_k.data() + source, d, &cache.k(b, h, target, 0));
                std::copy_n(from_v.data() + source, d, &cache.v(b, h, target, 0));
            }
        }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        for (Index t = 0; t < n; ++t) {
            const Index visible = std::min(S, lengths[b] + t + 1);
            for (Index s = 0; s < visible; ++s) mask(b, 0, t, s) = false;
        }
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument("decode: x must be (B, n, D)");
    const Index H = cache.k.size(1);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);
    // Each sequence alone, without its padding: then the last query sees every key, as causal_mask has it.
    Tensor y = Tensor::zeros(x.shape());
    for (Index b = 0; b < x.size(0); ++b) {
        const Index c = counts[b], S = cache.lengths[b];
        if (c == 0) break;
        const Tensor context = given::scaled_dot_product_context(
            q.slice(0, b, b + 1).slice(2, 0, c), cache.k.slice(0, b, b + 1).slice(2, 0, S),
            cache.v.slice(0, b, b + 1).slice(2, 0, S), given::causal_mask(c, S));
        y.slice(0, b, b + 1).slice(1, 0, c).copy_from(projections.out_proj.forward(given::merge_heads(context)));
    }
    return y;
}

}  // namespace headway::ex08
