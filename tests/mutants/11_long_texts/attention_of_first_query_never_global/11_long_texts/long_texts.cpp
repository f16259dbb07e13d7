#include "long_texts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

// Masks by operators on masks; attention by threads, one head at a time each: first all queries through their windows,
// then the global ones once more, through everything.
namespace headway::ex11 {

namespace {

void throw_if(bool bad, const char* message) {
    if (bad) throw std::invalid_argument(message);
}

void check_positions(const std::vector<Index>& positions, Index S) {
    for (auto p = positions.begin(); p != positions.end(); ++p) throw_if(*p < 0 || *p >= S, "position out of range");
}

bool has_four_axes(const Tensor& x) {
    bool good = x.rank() == 4;
    for (const Index size : x.shape()) good = good && size >= 1;
    return good;
}

void check_padding(const Mask& padding, Index S) {
    if (!padding.defined()) return;
    throw_if(padding.rank() != 4, "padding needs four axes");
    throw_if(padding.size(0) < 1 || padding.size(1) != 1 || padding.size(2) != 1 || padding.size(3) != S,
             "padding needs shape (B, 1, 1, S)");
}

/// One head of attention; its threads share nothing that is written.
struct Head {
    const Tensor& q;
    const Tensor& k;
    const Tensor& v;
    const Mask& padding;
    Index b, h;

    bool hidden(Index s) const { return padding.defined() && padding(b, 0, 0, s); }

    /// Query t attends to the keys of `front`, and then to [begin, end).
    void attend(Index t, const std::vector<Index>& front, Index begin, Index end, Tensor& context) const {
        const Index all = static_cast<Index>(front.size()) + end - begin, d = q.size(3), d_v = v.size(3);
        const auto key = [&](Index j) {
            const Index ahead = static_cast<Index>(front.size());
            return j < ahead ? front[static_cast<std::size_t>(j)] : begin + j - ahead;
        };
        std::vector<double> scores(static_cast<std::size_t>(all), -std::numeric_limits<double>::infinity());
        double largest = -std::numeric_limits<double>::infinity();
        for (Index j = 0; j < all; ++j) {
            const Index s = key(j);
            if (hidden(s)) continue;
            double score = 0;
            for (Index i = 0; i < d; ++i) score += double{q(b, h, t, i)} * double{k(b, h, s, i)};
            score /= std::sqrt(static_cast<double>(d));
            scores[static_cast<std::size_t>(j)] = score;
            largest = std::fmax(largest, score);
        }
        std::vector<double> mean(static_cast<std::size_t>(d_v), 0.0);
        double total = 0;
        for (Index j = 0; j < all; ++j) {
            if (hidden(key(j))) continue;
            const double weight = std::exp(scores[static_cast<std::size_t>(j)] - largest);
            total += weight;
            for (Index i = 0; i < d_v; ++i) mean[static_cast<std::size_t>(i)] += weight * double{v(b, h, key(j), i)};
        }
        for (Index i = 0; i < d_v; ++i)
            context(b, h, t, i) = total > 0 ? static_cast<float>(mean[static_cast<std::size_t>(i)] / total) : 0.0F;
    }
};

void check_cache(const RingCache& cache) {
    throw_if(!has_four_axes(cache.k) || !has_four_axes(cache.v), "no cache");
    for (const Index axis : {0, 1, 2}) throw_if(cache.k.size(axis) != cache.v.size(axis), "no cache");
}

void check_new(const RingCache& cache, const Tensor& x, const Tensor& ring, Index n) {
    check_cache(cache);
    throw_if(!has_four_axes(x), "new tokens need four axes");
    throw_if(x.size(0) != ring.size(0), "another batch");
    throw_if(x.size(1) != ring.size(1), "other heads");
    throw_if(x.size(2) != n, "another number of tokens");
    throw_if(x.size(3) != ring.size(3), "another width");
}

void check_new(const RingCache& cache, const Tensor& k, const Tensor& v) {
    throw_if(!has_four_axes(k), "new keys need four axes");
    check_new(cache, k, cache.k, k.size(2));
    check_new(cache, v, cache.v, k.size(2));
}

/// Ready to be written into: nobody else sees it.
void make_sole_owner(Tensor& ring) {
    if (ring.owns_storage()) return;
    Tensor copy = Tensor::empty(ring.shape());
    copy.copy_from(ring);
    ring = copy;
}

}  // namespace

Mask window_mask(Index T, Index S, Index w) {
    throw_if(w < 1 || T < 1 || S < T, "needs 1 <= w and 1 <= T <= S");
    Mask too_old = Mask::allow_all({T, S});
    for (Index t = 0; t < T; ++t)
        for (Index s = 0; s <= t + (S - T) - w; ++s) too_old(t, s) = true;
    return too_old | given::causal_mask(T, S);
}

Mask global_mask(Index T, Index S, const std::vector<Index>& positions) {
    throw_if(T < 1 || S < T, "needs 1 <= T <= S");
    check_positions(positions, S);
    Mask ordinary_query = Mask::block_all({T, 1}), ordinary_key = Mask::block_all({1, S});
    for (const Index p : positions) {
        ordinary_key(0, p) = false;
        if (p >= S - T) ordinary_query(p - (S - T), 0) = false;
    }
    return !((!ordinary_query.expand({T, S})) | (!ordinary_key.expand({T, S})));
}

Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding) {
    check_padding(padding, S);
    const Mask closed_window = window_mask(T, S, w);
    const Mask closed_global = global_mask(T, S, globals);
    const Mask neither = !((!closed_window) | (!closed_global));
    const Mask cut = neither | given::causal_mask(T, S);
    if (!padding.defined()) return cut;
    return cut | padding;
}

Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding) {
    throw_if(!has_four_axes(q) || !has_four_axes(k) || !has_four_axes(v), "q, k and v need four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    throw_if(B != k.size(0) || B != v.size(0), "batches differ");
    throw_if(H != k.size(1) || H != v.size(1), "heads differ");
    throw_if(q.size(3) != k.size(3), "q and k differ in width");
    throw_if(S != v.size(2), "k and v differ in length");
    throw_if(w < 1 || S < T, "needs 1 <= w and T <= S");
    check_positions(globals, S);
    check_padding(padding, S);
    throw_if(padding.defined() && padding.size(0) != B, "padding of another batch");

    const std::set<Index> special(globals.begin(), globals.end());
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    std::atomic<Index> next_head{0};
    const auto work = [&] {
        for (Index i = next_head++; i < B * H; i = next_head++) {
            const Head head{q, k, v, padding, i / H, i % H};
            for (Index t = 0; t < T; ++t) {
                const Index p = t + (S - T), begin = p >= w ? p - w + 1 : 0;
                const std::vector<Index> front(special.begin(), special.lower_bound(begin));
                head.attend(t, front, begin, p + 1, context);
            }
            for (const Index p : special)
                if (p > S - T) head.attend(p - (S - T), {}, 0, p + 1, context);
        }
    };
    if (B * H == 1) {
        work();
        return context;
    }
    std::thread other(work);
    work();
    other.join();
    return context;
}

RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v) {
    throw_if(B < 1, "B < 1");
    throw_if(H < 1, "H < 1");
    throw_if(w < 1, "w < 1");
    throw_if(d < 1, "d < 1");
    throw_if(d_v < 1, "d_v < 1");
    RingCache cache{Tensor::zeros({B, H, w, d}), Tensor::zeros({B, H, w, d_v}), 0};
    return cache;
}

void ring_append(RingCache& cache, const Tensor& k, const Tensor& v) {
    check_new(cache, k, v);
    const Tensor keys = k, values = v;  // hold on to them, should they be the cache's
    const Index w = cache.k.size(2), n = keys.size(2), end = cache.next + n;
    make_sole_owner(cache.k);
    make_sole_owner(cache.v);
    for (Index position = end - std::min(n, w); position < end; ++position) {
        const Index slot = position % w, t = position - cache.next;
        for (Index b = 0; b < keys.size(0); ++b)
            for (Index h = 0; h < keys.size(1); ++h) {
                for (Index i = 0; i < keys.size(3); ++i) cache.k(b, h, slot, i) = keys(b, h, t, i);
                for (Index i = 0; i < values.size(3); ++i) cache.v(b, h, slot, i) = values(b, h, t, i);
            }
    }
    cache.next = end;
}

Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v) {
    check_new(cache, k, v);
    throw_if(q.shape() != k.shape(), "q and k differ in shape");
    const Index w = cache.k.size(2), held = std::min(w, cache.next), n = k.size(2);
    std::vector<Tensor> contexts;
    {
        // Token by token, each with what it sees: at most w keys.
        std::vector<Tensor> keys, values;
        for (Index p = cache.next - held; p < cache.next; ++p) {
            keys.push_back(cache.k.slice(2, p % w, p % w + 1));
            values.push_back(cache.v.slice(2, p % w, p % w + 1));
        }
        for (Index t = 0; t < n; ++t) {
            keys.push_back(k.slice(2, t, t + 1));
            values.push_back(v.slice(2, t, t + 1));
            if (static_cast<Index>(keys.size()) > w) {
                keys.erase(keys.begin());
                values.erase(values.begin());
            }
            contexts.push_back(given::scaled_dot_product_context(q.slice(2, t, t + 1), cat(keys, 2), cat(values, 2)));
        }
    }
    ring_append(cache, k, v);
    return cat(contexts, 2);
}

Mask reach(const Mask& mask, Index layers) {
    throw_if(mask.rank() != 2, "the mask needs two axes");
    throw_if(mask.size(0) != mask.size(1) || mask.size(0) < 1, "the mask needs to be square");
    throw_if(layers < 1, "layers < 1");
    const Index S = mask.size(0);
    Mask all = mask;
    for (Index layer = 1; layer < layers; ++layer) {
        Mask one_more = Mask::allow_all({S, S});
        for (Index t = 0; t < S; ++t)
            for (Index s = 0; s < S; ++s) {
                bool way = false;
                for (Index u = 0; u < S && !way; ++u) way = !mask(t, u) && !all(u, s);
                one_more(t, s) = !way;
            }
        all = one_more;
    }
    return all.clone();
}

Index window_reach(Index w, Index layers) {
    throw_if(w < 1, "w < 1");
    throw_if(layers < 1, "layers < 1");
    return layers * (w - 1) + 1;
}

}  // namespace headway::ex11
