#include "kv_cache.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

// One sequence at a time, with its own softmax: nothing is computed for padding but the projections.
namespace headway::ex08 {

[[noreturn]] static void refuse(const std::string& why) { throw std::invalid_argument(why); }

static void check_chunk(const Cache& cache, Index n, const std::vector<Index>& counts) {
    if (counts.size() != cache.lengths.size()) refuse("counts: one for each sequence");
    const Index capacity = cache.k.size(2);
    for (size_t b = 0; b < counts.size(); b++) {
        if (counts[b] < 0) refuse("counts: negative");
        if (counts[b] > n) refuse("counts: more than there are tokens");
        if (cache.lengths[b] + counts[b] > capacity) refuse("the cache is full");
    }
}

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    for (const Index size : {B, H, capacity, d})
        if (size < 1) refuse("make_cache: a size below 1");
    const Shape shape{B, H, capacity, d};
    return Cache{Tensor::zeros(shape), Tensor::zeros(shape), std::vector<Index>(static_cast<size_t>(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    if (k.rank() != 4 || v.rank() != 4) refuse("k and v have four axes");
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), n = k.size(2);
    if (k.shape() != Shape{B, H, n, d}) refuse("k: " + to_string(k.shape()));
    if (v.shape() != Shape{B, H, n, d}) refuse("v: " + to_string(v.shape()));
    check_chunk(cache, n, counts);

    for (Index b = 0; b < B; b++) {
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < counts[b]; t++)
                for (Index i = 0; i < d; i++) {
                    const Index position = cache.lengths[b] + t;
                    cache.k(b, h, position, i) = k(b, h, t, i);
                    cache.v(b, h, position, i) = v(b, h, t, i);
                }
        cache.lengths[b] += counts[b];
    }
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::block_all({static_cast<Index>(lengths.size()), 1, n, S});
    for (size_t b = 0; b < lengths.size(); b++)
        for (Index t = 0; t < n; t++) {
            const Index position = lengths[b] + t;
            for (Index s = 0; s < S; s++)
                if (s <= position) mask(b, 0, t, s) = false;
        }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), E = H * d;
    if (x.rank() != 3 || x.size(0) != B) refuse("x is (B, n, D)");
    if (x.size(2) != projections.q_proj.weight.size(1)) refuse("x has another width than the projections");
    if (projections.q_proj.weight.size(0) != E) refuse("the projections do not fit the cache");
    const Index n = x.size(1);
    check_chunk(cache, n, counts);

    const Tensor q = projections.q_proj.forward(x);
    const Tensor k = projections.k_proj.forward(x);
    const Tensor v = projections.v_proj.forward(x);
    const Shape four{B, n, H, d};
    const std::vector<Index> old = cache.lengths;
    append(cache, k.contiguous().view(four).transpose(1, 2), v.contiguous().view(four).transpose(1, 2), counts);

    Tensor merged = Tensor::zeros({B, n, E});
    std::vector<float> score;
    for (Index b = 0; b < B; b++)
        for (Index h = 0; h < H; h++)
            for (Index t = 0; t < counts[b]; t++) {
                const Index visible = old[b] + t + 1;
                score.assign(visible, 0.0F);
                float largest = -std::numeric_limits<float>::infinity();
                for (Index s = std::max<Index>(0, visible - 16); s < visible; s++) {
                    for (Index i = 0; i < d; i++) score[s] += q(b, t, h * d + i) * cache.k(b, h, s, i);
                    score[s] /= std::sqrt(static_cast<float>(d));
                    largest = std::max(largest, score[s]);
                }
                float total = 0;
                for (Index s = std::max<Index>(0, visible - 16); s < visible; s++)
                    total += score[s] = std::exp(score[s] - largest);
                for (Index s = std::max<Index>(0, visible - 16); s < visible; s++)
                    for (Index i = 0; i < d; i++) merged(b, t, h * d + i) += score[s] / total * cache.v(b, h, s, i);
            }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
