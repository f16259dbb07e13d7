// Transposed cache layout: k and v are views of one block (B, C, 2, H, d). Eigen for attention, one head at a time.
#include "kv_cache.hpp"

#include <headway/eigen.hpp>

#include <stdexcept>

namespace headway::ex08 {
namespace {
template <class... Conditions>
void ensure(Conditions... c) {
    if (!(c && ...)) throw std::invalid_argument("headway::ex08: an argument does not fit");
}
}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    ensure(B > 0, H > 0, capacity > 0, d > 0);
    const Tensor block = Tensor::zeros({B, capacity, 2, H, d});
    return {block.select(2, 0).transpose(1, 2), block.select(2, 1).transpose(1, 2),
            std::vector<Index>(static_cast<std::size_t>(B))};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Shape& have = cache.k.shape();
    ensure(k.rank() == 4, v.rank() == 4);
    const Shape want{have[0], have[1], k.size(2), have[3]};
    ensure(k.shape() == want, v.shape() == want, std::ssize(counts) == have[0]);
    auto length = cache.lengths.begin();
    for (const Index count : counts) ensure(count >= 0, count <= k.size(2), count + *length++ <= have[2]);
    for (Index b = 0; b < have[0]; ++b) {
        const auto i = static_cast<std::size_t>(b);
        for (Index h = 0; h < have[1]; ++h) {
            const auto place = [&](const Tensor& t) {
                return as_eigen(t[b][h]).middleRows(cache.lengths[i], counts[i]);
            };
            place(cache.k) = as_eigen(k[b][h]).topRows(counts[i]);
            place(cache.v) = as_eigen(v[b][h]).topRows(counts[i]);
        }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) cache.lengths[i] += counts[i];
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    // One staircase, seen through a window that moves by the length of a sequence.
    const Index B = std::ssize(lengths);
    Mask all = Mask::block_all({B, 1, n, S});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < n; ++t)
            for (Index s = 0; s <= lengths[static_cast<std::size_t>(b)] + t && s < S; ++s) all(b, 0, t, s) = false;
    return all;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const auto [B, H, C, d] = std::tuple{cache.k.size(0), cache.k.size(1), cache.k.size(2), cache.k.size(3)};
    ensure(x.rank() == 3);
    ensure(x.size(0) == B, x.size(2) == projections.v_proj.weight.size(1), projections.v_proj.weight.size(0) == H * d,
           std::ssize(counts) == B);
    const Index n = x.size(1);
    const std::vector<Index> before = cache.lengths;
    for (std::size_t b = 0; b < counts.size(); ++b) ensure(counts[b] >= 0, counts[b] <= n, before[b] + counts[b] <= C);
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);
    Tensor merged = Tensor::zeros({B, n, H * d});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const auto i = static_cast<std::size_t>(b);
            const Index S = cache.lengths[i];
            if (S == 0 || counts[i] == 0) continue;
            const EigenMatrix keys = as_eigen(cache.k[b][h]).topRows(S), values = as_eigen(cache.v[b][h]).topRows(S);
            const EigenMatrix queries = as_eigen(q[b][h]).topRows(counts[i]);
            EigenMatrix w = queries * keys.transpose() / std::sqrt(static_cast<float>(d));
            for (Index t = 0; t < counts[i]; ++t) {
                auto row = w.row(t);
                const Index sees = before[i] + t + 1;
                row.tail(S - sees).setZero();
                auto seen = row.head(sees);
                seen = (seen.array() - seen.maxCoeff()).exp().matrix().eval();
                seen /= seen.sum();
            }
            as_eigen(merged[b].slice(1, h * d, (h + 1) * d)).topRows(counts[i]) = w * values;
        }
    return projections.out_proj.forward(merged);
}

}  // namespace headway::ex08
