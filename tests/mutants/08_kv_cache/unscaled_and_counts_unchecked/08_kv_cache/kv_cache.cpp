#include "kv_cache.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <stdexcept>

namespace headway::ex08 {

namespace {

namespace views = std::views;

auto upto(Index n) { return views::iota(Index{0}, n); }

using Vec = std::vector<float>;

Vec vec(const Tensor& t) {
    Vec v;
    std::ranges::transform(upto(t.size(0)), std::back_inserter(v), [&](Index i) { return t(i); });
    return v;
}

bool counts_fit(const Cache& cache, const std::vector<Index>& counts, Index n) {
    return counts.size() == cache.lengths.size() &&
           std::ranges::all_of(counts, [n](Index c) { return 0 <= c && c <= n; }) &&
           std::equal(counts.begin(), counts.end(), cache.lengths.begin(),
                      [C = cache.k.size(2)](Index c, Index l) { return l + c <= C; });
}

}  // namespace

Cache make_cache(Index B, Index H, Index capacity, Index d) {
    if (std::min({B, H, capacity, d}) < 1) throw std::invalid_argument("make_cache: nothing may be below 1");
    return {.k = Tensor::zeros({B, H, capacity, d}),
            .v = Tensor::zeros({B, H, capacity, d}),
            .lengths = std::vector<Index>(static_cast<std::size_t>(B), Index{0})};
}

void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts) {
    Shape shape = cache.k.shape();
    if (k.rank() == 4) shape.at(2) = k.size(2);
    if (k.rank() != 4 || !std::ranges::equal(k.shape(), shape) || !std::ranges::equal(v.shape(), shape))
        throw std::invalid_argument("append: shape");
    if (!counts_fit(cache, counts, cache.k.size(2))) throw std::invalid_argument("append: counts");
    std::ranges::for_each(upto(k.size(0)), [&](Index b) {
        const Index c = counts[static_cast<std::size_t>(b)], l = cache.lengths[static_cast<std::size_t>(b)];
        cache.k[b].slice(1, l, l + c).copy_from(k[b].slice(1, 0, c));
        cache.v[b].slice(1, l, l + c).copy_from(v[b].slice(1, 0, c));
    });
    std::ranges::transform(cache.lengths, counts, cache.lengths.begin(), std::plus<>{});
}

Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S) {
    Mask mask = Mask::allow_all({std::ssize(lengths), 1, n, S});
    bool* out = mask.data();
    std::ranges::for_each(lengths, [&](Index l) {
        std::ranges::for_each(upto(n), [&](Index t) {
            const Index open = std::min(S, l + t + 1);
            out = std::fill_n(out, open, false);
            out = std::fill_n(out, S - open, true);
        });
    });
    return mask;
}

Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts) {
    const Index B = cache.k.size(0), H = cache.k.size(1), d = cache.k.size(3), E = H * d;
    if (x.rank() != 3 || x.size(0) != B) throw std::invalid_argument("decode: x");
    const Index n = x.size(1), D = x.size(2);
    if (!counts_fit(cache, counts, n)) throw std::invalid_argument("decode: counts");
    const Shape in{E, D}, out{D, E};
    if (projections.q_proj.weight.shape() != in || projections.k_proj.weight.shape() != in ||
        projections.v_proj.weight.shape() != in || projections.out_proj.weight.shape() != out)
        throw std::invalid_argument("decode: projections");

    const auto before = cache.lengths;
    const Tensor q = given::split_heads(projections.q_proj.forward(x), H);
    append(cache, given::split_heads(projections.k_proj.forward(x), H),
           given::split_heads(projections.v_proj.forward(x), H), counts);

    Tensor context = Tensor::zeros({B, H, n, d});
    for (const Index b : upto(B))
        for (const Index h : upto(H))
            for (const Index t : upto(counts[static_cast<std::size_t>(b)])) {
                const Vec query = vec(q[b][h][t]);
                const Index visible = before[static_cast<std::size_t>(b)] + t + 1;
                std::vector<double> w;
                std::ranges::transform(upto(visible), std::back_inserter(w), [&](Index s) {
                    const Vec key = vec(cache.k[b][h][s]);
                    return std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
                });
                const double top = *std::ranges::max_element(w);
                std::ranges::transform(w, w.begin(), [top](double s) { return std::exp(s - top); });
                const double all = std::accumulate(w.begin(), w.end(), 0.0);
                Tensor row = context[b][h][t];
                for (const Index s : upto(visible))
                    row += cache.v[b][h][s] * static_cast<float>(w[static_cast<std::size_t>(s)] / all);
            }
    return projections.out_proj.forward(given::merge_heads(context));
}

}  // namespace headway::ex08
