#include "kv_cache.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace headway::ex08 {

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (std::min({B, H, capacity, d}) < 1) throw std::invalid_argument{"make_cache: a size is below 1"};
    Tensor k = Tensor::zeros({B, H, capacity, d});
    Tensor v = Tensor::zeros({B, H, capacity, d});
    std::vector<Index> lengths;
    lengths.resize(static_cast<std::size_t>(B));
    return Cache{k, v, lengths};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    const Index H = cache.k.size(1), C = cache.k.size(2), d = cache.k.size(3);
    const auto fits = [&](const Tensor& t) {
        return t.rank() == 4 && t.size(0) == cache.k.size(0) && t.size(1) == H && t.size(3) == d;
    };
    if (!fits(k) || !fits(v) || k.size(2) != v.size(2)) throw std::invalid_argument{"append: shapes"};
    const Index n = k.size(2);

    if (counts.size() != static_cast<std::size_t>(cache.k.size(0))) throw std::invalid_argument{"append: counts"};
    std::vector<Index> after;
    for (std::size_t b = 0; b < counts.size(); ++b) after.push_back(cache.lengths.at(b) + counts[b]);
    const bool counts_fit = std::all_of(counts.begin(), counts.end(), [n](Index c) { return c >= 0 && c <= n; });
    const bool room = std::all_of(after.begin(), after.end(), [C](Index length) { return length <= C; });
    if (!counts_fit || !room) throw std::invalid_argument{"append: a count does not fit"};

    // Everything is row-major here, so the tokens of one head are one block of memory.
    const auto write = [&](const Tensor& from, Tensor& to) {
        const Tensor source = from.contiguous();
        for (std::size_t b = 0; b < counts.size(); ++b) {
            for (Index h = 0; h < H; ++h) {
                const Index head = static_cast<Index>(b) * H + h;
                std::copy_n(source.data() + head * n * d, counts[b] * d, to.data() + (head * C + cache.lengths[b]) * d);
            }
        }
    };
    write(k, cache.k);
    write(v, cache.v);
    cache.lengths = after;
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({static_cast<Index>(lengths.size()), 1, n, S});
    bool* row = mask.data();
    for (const Index length : lengths) {
        for (Index t = 0; t < n; ++t) {
            const Index first_hidden = std::min(S, length + t + 1);
            std::fill(row + first_hidden, row + S, true);
            row += S;
        }
    }
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    if (x.rank() != 3) throw std::invalid_argument{"decode: rank"};
    const Index B = x.size(0), n = x.size(1), H = cache.k.size(1), d = cache.k.size(3);

    const auto apply = [](const nn::Linear& linear, const Tensor& rows) {
        return matmul(rows, linear.weight.transpose(0, 1));
    };
    const auto heads_of = [&](const nn::Linear& linear) {
        return apply(linear, x).view({B, n, H, d}).transpose(1, 2);  // (B, H, n, d)
    };

    const Tensor q = heads_of(projections.q_proj);
    const auto before = cache.lengths;
    append(cache, heads_of(projections.k_proj), heads_of(projections.v_proj), counts);

    Index S = 1;
    for (const Index length : cache.lengths) S = std::max(S, length);
    const Tensor keys = cache.k.slice(2, 0, S);
    const Tensor values = cache.v.slice(2, 0, S);

    Tensor scores = matmul(q, keys.transpose(-2, -1)) / sqrt(static_cast<float>(d));
    scores = masked_fill(scores, decoding_mask(before, n, S), -std::numeric_limits<float>::infinity());
    const Tensor e = exp(scores - max(scores, -1, KeepAxis::yes));
    const Tensor weights = e / sum(e, -1, KeepAxis::yes);
    const Tensor context = matmul(weights, values);  // (B, H, n, d)
    return apply(projections.out_proj, given::merge_heads(context));
}

}  // namespace headway::ex08
