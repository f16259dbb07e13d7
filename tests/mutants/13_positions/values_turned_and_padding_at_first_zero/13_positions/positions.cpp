#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headway::ex13 {

namespace {

void require(bool ok, const std::string& what) {
    if (!ok) throw std::invalid_argument(what);
}

// y[b, h, t] with features (first(i), second(i)) turned
template <class Pair>
Tensor turned(const Tensor& x, const Tensor& angles, Pair pair) {
    require(x.rank() == 4 && angles.rank() == 3, "x (B, H, T, d), angles (B, T, d/2)");
    const Index B = x.size(0), H = x.size(1), T = x.size(2), d = x.size(3);
    require(d % 2 == 0 && d >= 2, "odd width");
    require(angles.shape() == Shape{B, T, d / 2}, "angles do not fit x");
    Tensor out = Tensor::zeros({B, H, T, d});
    for (const Index b : std::views::iota(Index{0}, B))
        for (const Index t : std::views::iota(Index{0}, T))
            for (const Index i : std::views::iota(Index{0}, d / 2)) {
                const double a = angles(b, t, i), c = std::cos(a), s = std::sin(a);
                const auto [first, second] = pair(i, d);
                for (const Index h : std::views::iota(Index{0}, H)) {
                    const double u = x(b, h, t, first), w = x(b, h, t, second);
                    out(b, h, t, first) = static_cast<float>(u * c - w * s);
                    out(b, h, t, second) = static_cast<float>(u * s + w * c);
                }
            }
    return out;
}

// columns of each head: result[h·d + j] = w[h·d + source(j, d)]
template <class Source>
Tensor reordered(const Tensor& w, Index num_heads, Source source) {
    require(w.defined() && w.rank() >= 1 && num_heads >= 1, "no axis or no head");
    const Index E = w.size(-1);
    require(E % num_heads == 0 && E / num_heads % 2 == 0, "heads of even width do not fill the axis");
    const Index d = E / num_heads;
    Tensor out = Tensor::zeros(w.shape());
    const Index last = w.rank() - 1;
    for (Index h = 0; h < num_heads; ++h)
        for (Index j = 0; j < d; ++j) {
            const Index from = h * d + source(j, d), to = h * d + j;
            out.slice(last, to, to + 1).copy_from(w.slice(last, from, from + 1));
        }
    return out;
}

// q and k are turned already; softmax in double, keys that are not seen are skipped
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v,
              const std::function<bool(Index, Index, Index, Index)>& blocked) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index group = H / k.size(1), S = k.size(2), d_v = v.size(3);
    const double scale = 1.0 / std::sqrt(static_cast<double>(d));
    Tensor out = Tensor::zeros({B, H, T, d_v});
    std::vector<double> score(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const Index g = h / group;
                double top = -std::numeric_limits<double>::infinity();
                std::vector<Index> seen;
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    double dot = 0;
                    for (Index j = 0; j < d; ++j) dot += double{q(b, h, t, j)} * double{k(b, g, s, j)};
                    score[static_cast<std::size_t>(s)] = dot * scale;
                    top = std::max(top, dot * scale);
                    seen.push_back(s);
                }
                if (seen.empty()) continue;
                double total = 0;
                std::vector<double> row(static_cast<std::size_t>(d_v), 0.0);
                for (const Index s : seen) {
                    const double e = std::exp(score[static_cast<std::size_t>(s)] - top);
                    total += e;
                    for (Index j = 0; j < d_v; ++j) row[static_cast<std::size_t>(j)] += e * v(b, g, s, j);
                }
                for (Index j = 0; j < d_v; ++j)
                    out(b, h, t, j) = static_cast<float>(row[static_cast<std::size_t>(j)] / total);
            }
    return out;
}

void check_qkv(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k, v have four axes");
    require(k.size(0) == q.size(0) && v.size(0) == q.size(0), "batches differ");
    require(k.size(1) >= 1 && k.size(1) == v.size(1) && q.size(1) % k.size(1) == 0, "heads do not divide");
    require(k.size(2) == v.size(2) && k.size(3) == q.size(3), "k, v or q and k do not fit");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(first >= 0 && T >= 1 && !padding.empty(), "first, T or no sequence");
    require(std::ranges::all_of(padding, [](Index n) { return n >= 0; }), "negative padding");
    Tensor positions = Tensor::zeros({std::ssize(padding), T});
    for (Index b = 0; b < std::ssize(padding); ++b)
        for (Index t = 0; t < T; ++t) {
            const Index p = first == 0 ? t - padding[static_cast<std::size_t>(b)] : first + t;
            positions(b, t) = static_cast<float>(std::max(Index{0}, p));
        }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2 && d >= 2 && d % 2 == 0 && base > 0, "positions (B, T), d even, base above 0");
    const Index B = positions.size(0), T = positions.size(1);
    Tensor angles = Tensor::zeros({B, T, d / 2});
    for (Index i = 0; i < d / 2; ++i) {
        const double step = std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d));
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) angles(b, t, i) = static_cast<float>(positions(b, t) * step);
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    return turned(x, angles, [](Index i, Index) { return std::pair{2 * i, 2 * i + 1}; });
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    return turned(x, angles, [](Index i, Index d) { return std::pair{i, i + d / 2}; });
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    return reordered(w, num_heads, [](Index j, Index d) { return j < d / 2 ? 2 * j : 2 * (j - d / 2) + 1; });
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    return reordered(w, num_heads, [](Index j, Index d) { return j / 2 + (j % 2) * (d / 2); });
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_qkv(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    require(q_positions.shape() == Shape{B, T} && k_positions.shape() == Shape{B, S}, "positions do not fit");
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    const Mask full = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    return attend(turned_q, turned_k, v,
                  [&](Index b, Index h, Index t, Index s) { return full.defined() && full(b, h, t, s); });
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_qkv(q, k, v);
    const Index B = q.size(0), T = q.size(2), d = q.size(3);
    require(k.size(2) == T && std::ssize(padding) == B, "T or padding does not fit");
    require(cache.k.defined() == cache.v.defined(), "half a cache");
    const Index P = cache.k.defined() ? cache.k.size(2) : 0;
    if (cache.k.defined()) {
        require(cache.k.shape() == Shape{B, k.size(1), P, d}, "cache.k");
        require(cache.v.shape() == Shape{B, v.size(1), P, v.size(3)}, "cache.v");
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const Tensor turned_q = rotate_pairs(q, angles), turned_k = rotate_pairs(k, angles);
    Cache grown{Tensor::zeros({B, k.size(1), P + T, d}), Tensor::zeros({B, v.size(1), P + T, v.size(3)})};
    if (P > 0) {
        grown.k.slice(2, 0, P).copy_from(cache.k);
        grown.v.slice(2, 0, P).copy_from(cache.v);
    }
    grown.k.slice(2, P, P + T).copy_from(turned_k);
    grown.v.slice(2, P, P + T).copy_from(v.size(3) == d ? rotate_pairs(v, angles) : v);
    const auto blocked = [&](Index b, Index, Index t, Index s) {
        return s < padding[static_cast<std::size_t>(b)] || s > P + t;
    };
    return {attend(turned_q, grown.k, grown.v, blocked), grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.shape() == w_k.shape() && w_k.size(0) == w_q.size(0), "weights");
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    require(b_q.defined() == b_k.defined() && b_k.defined() == b_v.defined(), "some biases are missing");
    Packed packed{Tensor::zeros({E + 2 * E_kv, D}), Tensor{}};
    packed.weight.slice(0, 0, E).copy_from(w_q.transpose(0, 1));
    packed.weight.slice(0, E, E + E_kv).copy_from(w_k.transpose(0, 1));
    packed.weight.slice(0, E + E_kv, E + 2 * E_kv).copy_from(w_v.transpose(0, 1));
    if (b_q.defined()) {
        require(b_q.shape() == Shape{E} && b_k.shape() == Shape{E_kv} && b_v.shape() == Shape{E_kv}, "biases");
        packed.bias = Tensor::zeros({E + 2 * E_kv});
        packed.bias.slice(0, 0, E).copy_from(b_q);
        packed.bias.slice(0, E, E + E_kv).copy_from(b_k);
        packed.bias.slice(0, E + E_kv, E + 2 * E_kv).copy_from(b_v);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    require(num_heads >= 1 && num_kv_heads >= 1 && num_heads % num_kv_heads == 0, "heads");
    require(packed.weight.rank() == 2, "weight (rows, D)");
    const Index rows = packed.weight.size(0), D = packed.weight.size(1);
    require(rows % (num_heads + 2 * num_kv_heads) == 0, "rows do not divide into heads");
    require(!packed.bias.defined() || packed.bias.shape() == Shape{rows}, "bias");
    const Index d = rows / (num_heads + 2 * num_kv_heads), E = num_heads * d, E_kv = num_kv_heads * d;
    const auto weight = [&](Index begin, Index count) {
        Tensor w = Tensor::zeros({D, count});
        for (Index r = 0; r < count; ++r)
            for (Index c = 0; c < D; ++c) w(c, r) = packed.weight(begin + r, c);
        return w;
    };
    const auto bias = [&](Index begin, Index count) {
        if (!packed.bias.defined()) return Tensor{};
        Tensor w = Tensor::zeros({count});
        for (Index r = 0; r < count; ++r) w(r) = packed.bias(begin + r);
        return w;
    };
    return {weight(0, E), weight(E, E_kv), weight(E + E_kv, E_kv), bias(0, E), bias(E, E_kv), bias(E + E_kv, E_kv)};
}

}  // namespace headway::ex13
