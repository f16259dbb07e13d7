#include "positions.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::ex13 {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_turn(const Tensor& x, const Tensor& angles) {
    require(x.rank() == 4 && x.size(3) % 2 == 0, "x must be (B, H, T, d), d even");
    require(angles.shape() == Shape{x.size(0), x.size(2), x.size(3) / 2}, "angles must be (B, T, d/2)");
}

Index width_of_head(const Tensor& w, Index num_heads) {
    require(w.rank() > 0 && num_heads > 0 && w.size(-1) % (2 * num_heads) == 0, "heads of even width");
    return w.size(-1) / num_heads;
}

void check_heads(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "four axes");
    require(q.size(0) == k.size(0) && k.size(0) == v.size(0), "one batch");
    require(k.size(1) == v.size(1) && q.size(1) % k.size(1) == 0, "groups of heads");
    require(k.size(2) == v.size(2), "a value for each key");
    require(q.size(3) == k.size(3), "q and k are as wide");
}

void check_cache(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, std::size_t counts) {
    check_heads(q, k, v);
    require(k.size(2) == q.size(2), "a key for each query");
    require(counts == static_cast<std::size_t>(q.size(0)), "a count for each text");
    require(cache.k.defined() == cache.v.defined(), "keys and values");
    if (!cache.k.defined()) return;
    require(cache.k.rank() == 4 && cache.v.rank() == 4, "a cache has four axes");
    const Index P = cache.k.size(2);
    require(cache.k.shape() == Shape{k.size(0), k.size(1), P, k.size(3)}, "cached keys");
    require(cache.v.shape() == Shape{k.size(0), k.size(1), P, v.size(3)}, "cached values");
}

bool check_pack(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.shape() == w_k.shape(), "three matrices");
    require(w_q.size(0) == w_k.size(0), "one D");
    const bool biased = b_q.defined() || b_k.defined() || b_v.defined();
    if (!biased) return false;
    require(b_q.shape() == Shape{w_q.size(1)}, "b_q");
    require(b_k.shape() == Shape{w_k.size(1)} && b_v.shape() == b_k.shape(), "b_k and b_v");
    return true;
}

Index check_unpack(const Packed& packed, Index num_heads, Index num_kv_heads) {
    require(num_heads > 0 && num_kv_heads > 0 && num_heads % num_kv_heads == 0, "groups of heads");
    require(packed.weight.rank() == 2, "a matrix");
    const Index heads = num_heads + 2 * num_kv_heads;
    require(packed.weight.size(0) % heads == 0, "rows for all heads");
    if (packed.bias.defined()) require(packed.bias.shape() == Shape{packed.weight.size(0)}, "a bias for each row");
    return packed.weight.size(0) / heads;
}

/// (x1, x2) -> (-x2, x1): every pair of halves a quarter turn on.
Tensor quarter_turn(const Tensor& x) {
    const Index half = x.size(3) / 2;
    return cat({-x.slice(3, half, 2 * half), x.slice(3, 0, half)}, 3);
}

/// cos or sin of each angle, twice, for all heads: (B, 1, T, d).
Tensor both_halves(const Tensor& angles, float (*function)(float)) {
    Tensor all = Tensor::empty({angles.size(0), 1, angles.size(1), 2 * angles.size(2)});
    for (Index b = 0; b < angles.size(0); ++b)
        for (Index t = 0; t < angles.size(1); ++t)
            for (Index i = 0; i < angles.size(2); ++i)
                all(b, 0, t, i) = all(b, 0, t, i + angles.size(2)) = function(angles(b, t, i));
    return all;
}
float cosine(float angle) { return std::cos(angle); }
float sine(float angle) { return std::sin(angle); }

/// Features begin, begin + 2, ... of a head.
std::vector<Index> every_other(Index begin, Index end) {
    std::vector<Index> all;
    for (Index j = begin; j < end; j += 2) all.push_back(j);
    return all;
}

template <class Holds>
Mask where(const Tensor& x, Holds holds) {  // x is dense
    Mask mask = Mask::allow_all(x.shape());
    for (Index i = 0; i < x.numel(); ++i) mask.data()[i] = holds(x.data()[i]);
    return mask;
}
Mask is_infinite(const Tensor& x) {
    return where(x, [](float number) { return std::isinf(number); });
}
Mask is_zero(const Tensor& x) {
    return where(x, [](float number) { return number == 0; });
}

/// One head at a time, by the formula.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), group = H / k.size(1);
    Tensor context = Tensor::empty({B, H, T, v.size(3)});
    const Mask wide = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    for (Index h = 0; h < H; ++h) {
        const Tensor keys = k.select(1, h / group), values = v.select(1, h / group);
        Tensor scores = matmul(q.select(1, h), keys.transpose(1, 2)) / std::sqrt(static_cast<float>(q.size(3)));
        Mask own = Mask::allow_all({B, T, S});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) own(b, t, s) = wide(b, h, t, s);
        scores = masked_fill(scores, own, -INFINITY);
        const Tensor largest = max(scores, 2, KeepAxis::yes);
        const Tensor shift = masked_fill(largest, is_infinite(largest), 0);
        const Tensor share = exp(scores - shift), total = sum(share, 2, KeepAxis::yes);
        context.select(1, h).copy_from(matmul(share / masked_fill(total, is_zero(total), 1), values));
    }
    return context;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions");
    const auto B = static_cast<Index>(padding.size());
    Tensor shift = Tensor::empty({B, 1});
    for (Index b = 0; b < B; ++b) {
        require(padding[static_cast<std::size_t>(b)] >= 0, "padding");
        shift(b, 0) = static_cast<float>(first - padding[static_cast<std::size_t>(b)]);
    }
    const Tensor all = Tensor::arange(T).view({1, T}) + shift;
    Mask padded = Mask::allow_all({B, T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t) padded(b, t) = all(b, t) < 0;
    return masked_fill(all, padded, 0);
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2 && d >= 2 && d % 2 == 0 && base > 0, "rotation_angles");
    const double step = std::pow(base, -2.0 / static_cast<double>(d));  // from pair to pair
    Tensor angles = Tensor::empty({positions.size(0), positions.size(1), d / 2});
    double turn = 1;
    for (Index i = 0; i < d / 2; ++i) {
        angles.select(2, i).copy_from(positions * static_cast<float>(turn));
        turn *= step;
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return halves_to_pairs(rotate_halves(pairs_to_halves(x, 1), angles), 1);
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return x * both_halves(angles, &cosine) + quarter_turn(x) * both_halves(angles, &sine);
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads);
    std::vector<Tensor> pieces;
    for (Index h = 0; h < num_heads; ++h)
        for (const Index begin : {h * d, h * d + 1})
            for (const Index j : every_other(begin, (h + 1) * d)) pieces.push_back(w.slice(-1, j, j + 1));
    return cat(pieces, -1);
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads);
    std::vector<Tensor> pieces;
    for (Index begin = 0; begin < num_heads * d; begin += d)
        for (Index j = begin; j < begin + d / 2; ++j) {
            pieces.push_back(w.slice(-1, j, j + 1));
            pieces.push_back(w.slice(-1, j + d / 2, j + d / 2 + 1));
        }
    return cat(pieces, -1);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    require(q.size(3) % 2 == 0, "an even width");
    // Products do not care in which order features stand, if it is the same for both.
    const Tensor turned_q = rotate_halves(pairs_to_halves(q, 1), rotation_angles(q_positions, q.size(3), base));
    const Tensor turned_k = rotate_halves(pairs_to_halves(k, 1), rotation_angles(k_positions, k.size(3), base));
    return attend(turned_q, turned_k, v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_cache(cache, q, k, v, padding.size());
    const Index B = q.size(0), T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0;
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor turned = rotate_pairs(k, angles);
    Cache grown{turned, v.clone()};
    if (P > 0) {
        grown.k = cat({cache.k, turned}, 2);
        grown.v = cat({cache.v, v}, 2);
    }
    Mask hidden = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s)
                hidden(b, 0, t, s) = s > P + t || s < padding[static_cast<std::size_t>(b)];
    return {attend(rotate_pairs(q, angles), grown.k, grown.v, hidden), grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const bool biased = check_pack(w_q, w_k, w_v, b_q, b_k, b_v);
    const Tensor weight = cat({w_q.transpose(0, 1), w_k.transpose(0, 1), w_v.transpose(0, 1)}, 0);
    return {weight, biased ? cat({b_q, b_k, b_v}, 0) : Tensor{}};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = check_unpack(packed, num_heads, num_kv_heads);
    Projections parts;
    Index row = 0;
    const auto take = [&](Tensor& w, Tensor& b, Index heads) {
        const Index end = row + heads * d;
        w = Tensor::empty({packed.weight.size(1), heads * d});
        w.copy_from(packed.weight.slice(0, row, end).transpose(0, 1));
        if (packed.bias.defined()) b = packed.bias.slice(0, row, end).contiguous().clone();
        row = end;
    };
    take(parts.w_q, parts.b_q, num_heads);
    take(parts.w_k, parts.b_k, num_kv_heads);
    take(parts.w_v, parts.b_v, num_kv_heads);
    return parts;
}

}  // namespace headway::ex13
