// Online softmax over the cache in tiles; only real tokens are gathered and projected; static constexpr tile; goto.
#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace headway::ex08 {
namespace {
constexpr Index tile = 4;

struct Refusal : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

void admit(const Cache& cache, Index n, const std::vector<Index>& counts) {
    if (counts.size() != cache.lengths.size()) throw Refusal("counts");
    std::size_t b = 0;
next:
    if (b == counts.size()) return;
    if (counts[b] < 0 || counts[b] > n) throw Refusal("count outside [0, n]");
    if (cache.lengths[b] + counts[b] > cache.k.size(2)) throw Refusal("full");
    ++b;
    goto next;
}
}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (B <= 0 || H <= 0 || capacity <= 0 || d <= 0) throw Refusal("make_cache");
    Cache cache;
    cache.k = Tensor::full({B, H, capacity, d}, 0.0F);
    cache.v = Tensor::full({B, H, capacity, d}, 0.0F);
    cache.lengths.resize(static_cast<std::size_t>(B));
    return cache;
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3);
    if (k.rank() != 4 || k.shape() != Shape{B, H, k.size(2), d} || v.shape() != k.shape()) throw Refusal("append");
    admit(cache, k.size(2), counts);
    for (Index i = 0; i < B * H * d; ++i) {
        const Index b = i / (H * d), h = i / d % H, c = i % d;
        for (Index t = 0; t < counts[b]; ++t) {
            cache.k(b, h, cache.lengths[b] + t, c) = k(b, h, t, c);
            cache.v(b, h, cache.lengths[b] + t, c) = v(b, h, t, c);
        }
    }
    for (Index b = 0; b < B; ++b) cache.lengths[b] += counts[b];
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // one long staircase (n, max + S) and views of it, then copied
    const Index B = static_cast<Index>(lengths.size());
    Mask out = Mask::allow_all({B, 1, n, S});
    for (Index i = 0; i < out.numel(); ++i) {
        const Index s = i % S, t = i / S % n, b = i / S / n;
        out(b, 0, t, s) = lengths[b] < s - t;
    }
    return out;
}

Tensor decode(Cache& cache, const Projections& p, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), E = H * d;
    if (x.rank() != 3 || x.size(0) != B || x.size(2) != p.q_proj.weight.size(1) || p.q_proj.weight.size(0) != E)
        throw Refusal("decode");
    const Index n = x.size(1), D = x.size(2);
    for (std::size_t b = 0; b < counts.size(); ++b) {  // padding must not matter
        Tensor mine = x;
        if (counts[b] >= 0 && counts[b] < n) mine[Index(b)].slice(0, counts[b], n).fill(0);
    }
    admit(cache, n, counts);
    const Index real = std::accumulate(counts.begin(), counts.end(), Index{0});
    Tensor rows = Tensor::zeros({real, D});
    Index r = 0;
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < counts[b]; ++t) rows[r++].copy_from(x[b][t]);
    const Tensor q = p.q_proj.forward(rows), k = p.k_proj.forward(rows), v = p.v_proj.forward(rows);
    Tensor merged = Tensor::zeros({real, E});
    r = 0;
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    for (Index b = 0; b < B; ++b) {
        for (Index t = 0; t < counts[b]; ++t, ++r) {
            const Index position = cache.lengths[b]++;
            for (Index h = 0; h < H; ++h) {
                cache.k[b][h][position].copy_from(k[r].slice(0, h * d, (h + 1) * d));
                cache.v[b][h][position].copy_from(v[r].slice(0, h * d, (h + 1) * d));
                float top = -INFINITY, total = 0;
                std::vector<float> sum(d, 0.0F);
                for (Index begin = 0; begin <= position; begin += tile) {
                    const Index end = std::min(begin + tile, position + 1);
                    float scores[tile];
                    float higher = top;
                    for (Index s = begin; s < end; ++s) {
                        scores[s - begin] = 0;
                        for (Index i = 0; i < d; ++i) scores[s - begin] += q(r, h * d + i) * cache.k(b, h, s, i);
                        scores[s - begin] *= scale;
                        higher = std::max(higher, scores[s - begin]);
                    }
                    const float shrink = std::exp(top - higher);
                    total *= shrink;
                    for (float& f : sum) f *= shrink;
                    for (Index s = begin; s < end; ++s) {
                        const float w = std::exp(scores[s - begin] - higher);
                        total += w;
                        for (Index i = 0; i < d; ++i) sum[i] += w * cache.v(b, h, s, i);
                    }
                    top = higher;
                }
                for (Index i = 0; i < d; ++i) merged(r, h * d + i) = sum[i] / total;
            }
        }
    }
    const Tensor y = p.out_proj.forward(merged);
    Tensor out = Tensor::zeros({B, n, D});
    r = 0;
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < counts[b]; ++t) out[b][t].copy_from(y[r++]);
    return out;
}

}  // namespace headway::ex08
