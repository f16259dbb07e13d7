#include "long_texts.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::ex11 {
namespace {

using Numbers = std::vector<double>;

[[noreturn]] void bad(const char* where) {
    throw std::invalid_argument(std::string(where) + " got sizes that do not fit");
}

struct Rules {
    Index w;
    std::vector<char> global;

    Rules(const char* where, Index T, Index S, Index window, const std::vector<Index>& positions)
        : w(window), global(static_cast<std::size_t>(S > 0 ? S : 0)) {
        if (T < 1 || S < T || w < 1) bad(where);
        for (Index position : positions) {
            if (position < 0 || position >= S) bad(where);
            global[static_cast<std::size_t>(position)] = 1;
        }
    }
    bool is_global(Index p) const { return global[static_cast<std::size_t>(p)] != 0; }
    bool near(Index p, Index s) const { return s <= p && s > p - w; }
    bool starred(Index p, Index s) const { return is_global(p) || is_global(s); }
    bool sees(Index p, Index s) const { return s <= p && (near(p, s) || starred(p, s)); }
};

void demand_padding(const char* where, const Mask& padding, Index S) {
    if (!padding.defined()) return;
    if (padding.rank() != 4 || padding.size(1) != 1 || padding.size(2) != 1 || padding.size(3) != S) bad(where);
}

/// One head: L rows of `width` doubles.
struct Head {
    Numbers at;
    Index width;

    Head(const Tensor& x, Index b, Index h) : width(x.size(3)) {
        for (Index t = 0; t < x.size(2); ++t)
            for (Index i = 0; i < width; ++i) at.push_back(x(b, h, t, i));
    }
    const double* row(Index t) const { return at.data() + t * width; }
};

double dot(const double* a, const double* b, Index width) {
    double sum = 0;
    for (Index i = 0; i < width; ++i) sum += a[i] * b[i];
    return sum / std::sqrt(static_cast<double>(width));
}

/// Softmax of scores, and the mean of the rows that belong to them.
Numbers mean_of(const Numbers& scores, const std::vector<const double*>& rows, Index width) {
    Numbers mean(static_cast<std::size_t>(width));
    double top = -INFINITY, total = 0;
    for (double score : scores) top = std::fmax(top, score);
    for (double score : scores) total += std::exp(score - top);
    for (std::size_t j = 0; j < rows.size(); ++j)
        for (Index i = 0; i < width; ++i)
            mean[static_cast<std::size_t>(i)] += std::exp(scores[j] - top) / total * rows[j][i];
    return mean;
}

void store(Tensor& out, Index b, Index h, Index t, const Numbers& numbers) {
    for (Index i = 0; i < out.size(3); ++i) out(b, h, t, i) = static_cast<float>(numbers[static_cast<std::size_t>(i)]);
}

bool fits(const Tensor& x, const Tensor& like) {
    return x.rank() == 4 && x.size(0) == like.size(0) && x.size(1) == like.size(1) && x.size(3) == like.size(3);
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    const Rules rules("window_mask", T, S, w, {});
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !rules.near(S - T + t, s);
    return mask;
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    const Rules rules("global_mask", T, S, 1, positions);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !rules.starred(S - T + t, s);
    return mask;
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    const Rules rules("long_mask", T, S, w, globals);
    demand_padding("long_mask", padding, S);
    Mask mask = Mask::block_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s < S; ++s) mask(t, s) = !rules.sees(S - T + t, s);
    return padding.defined() ? mask | padding : mask;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    if (q.rank() != 4 || !fits(k, q) || v.rank() != 4) bad("window_attention");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) bad("window_attention");
    const Rules rules("window_attention", T, S, w, globals);
    demand_padding("window_attention", padding, S);
    if (padding.defined() && padding.size(0) != B) bad("window_attention");
    std::vector<Index> stars;
    for (Index s = 0; s < S; ++s)
        if (rules.is_global(s)) stars.push_back(s);
    Tensor out = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const Head queries(q, b, h), keys(k, b, h), values(v, b, h);
            for (Index t = 0; t < T; ++t) {
                const Index p = S - T + t;
                Numbers scores;
                std::vector<const double*> rows;
                const auto look = [&](Index s) {
                    if (padding.defined() && padding(b, 0, 0, s)) return;
                    scores.push_back(dot(queries.row(t), keys.row(s), keys.width));
                    rows.push_back(values.row(s));
                };
                Index begin = p < w ? 0 : p - w + 1;
                if (rules.is_global(p)) begin = 0;
                for (Index star : stars)
                    if (star < begin) look(star);
                for (Index s = begin; s <= p; ++s) look(s);
                if (!rows.empty()) store(out, b, h, t, mean_of(scores, rows, values.width));
            }
        }
    return out;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    if (B < 1 || H < 1 || w < 1 || d < 1 || d_v < 1) bad("make_ring");
    RingCache ring;
    ring.k = Tensor::full({B, H, w, d}, 0.0F);
    ring.v = Tensor::full({B, H, w, d_v}, 0.0F);
    return ring;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    if (!fits(k, cache.k) || !fits(v, cache.v) || k.size(2) != v.size(2)) bad("ring_append");
    const Index w = cache.k.size(2), n = k.size(2);
    const auto turned = [&](const Tensor& ring, const Tensor& fresh) {
        Tensor other = Tensor::zeros(ring.shape());
        other += ring;
        for (Index back = 1; back <= n && back <= w; ++back)
            other.select(2, (cache.next + n - back) % w).copy_from(fresh.select(2, n - back));
        return other;
    };
    cache.k = cache.k.clone();
    cache.v = turned(cache.v, v);
    cache.next += n;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    if (!fits(q, cache.k) || !fits(k, cache.k) || !fits(v, cache.v)) bad("ring_decode");
    const Index n = q.size(2), w = cache.k.size(2), next = cache.next;
    if (k.size(2) != n || v.size(2) != n) bad("ring_decode");
    Tensor out = Tensor::zeros({q.size(0), q.size(1), n, v.size(3)});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h) {
            const Head queries(q, b, h), keys(k, b, h), values(v, b, h), old_keys(cache.k, b, h),
                old_values(cache.v, b, h);
            for (Index t = 0; t < n; ++t) {
                Numbers scores;
                std::vector<const double*> rows;
                for (Index p = next + t; p >= 0 && p > next + t - w; --p) {
                    const bool is_new = p >= next;
                    const double* key = is_new ? keys.row(p - next) : old_keys.row(p % w);
                    scores.push_back(dot(queries.row(t), key, keys.width));
                    rows.push_back(is_new ? values.row(p - next) : old_values.row(p % w));
                }
                store(out, b, h, t, mean_of(scores, rows, values.width));
            }
        }
    ring_append(cache, k, v);
    return out;
}

Mask reach(const Mask& mask, Index layers) {
    if (mask.rank() != 2 || mask.size(0) != mask.size(1) || layers < 1) bad("reach");
    const Index S = mask.size(0);
    std::vector<std::vector<bool>> now(static_cast<std::size_t>(S), std::vector<bool>(static_cast<std::size_t>(S)));
    for (Index t = 0; t < S; ++t) now[static_cast<std::size_t>(t)][static_cast<std::size_t>(t)] = true;
    for (Index layer = 0; layer < layers; ++layer) {
        auto later = now;
        for (Index t = 0; t < S; ++t)
            for (Index s = 0; s < S; ++s) {
                bool any = false;
                for (Index u = 0; u < S; ++u)
                    any = any || (now[static_cast<std::size_t>(t)][static_cast<std::size_t>(u)] && !mask(u, s));
                later[static_cast<std::size_t>(t)][static_cast<std::size_t>(s)] = any;
            }
        now = later;
    }
    Mask result = Mask::block_all({S, S});
    for (Index t = 0; t < S; ++t)
        for (Index s = 0; s < S; ++s) result(t, s) = !now[static_cast<std::size_t>(t)][static_cast<std::size_t>(s)];
    return result;
}

Index window_reach(Index w, Index layers) {
    if (w < 1 || layers < 1) bad("window_reach");
    Index tokens = 1;
    for (Index layer = 0; layer < layers; ++layer) tokens += w - 1;
    return tokens;
}

}  // namespace headway::ex11
