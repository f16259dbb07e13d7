#include "positions.hpp"

#include <algorithm>
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

/// R (B, T, d, d), with x·R turned. Pair i is features first(i) and second(i).
Tensor turn_matrix(const Tensor& angles, Index from_pair, Index to_second) {
    const Index B = angles.size(0), T = angles.size(1), pairs = angles.size(2);
    Tensor all = Tensor::zeros({B, T, 2 * pairs, 2 * pairs});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < pairs; ++i) {
                const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
                const Index x = i * from_pair, y = x + to_second;
                all(b, t, x, x) = c;
                all(b, t, y, x) = -s;
                all(b, t, x, y) = s;
                all(b, t, y, y) = c;
            }
    return all;
}

/// x (B, H, T, d) by a matrix of its own for every token: as (B, T, H, d)·(B, T, d, d).
Tensor times_matrix(const Tensor& x, const Tensor& matrix) {
    return matmul(x.transpose(1, 2).contiguous(), matrix).transpose(1, 2).contiguous();
}

/// (E, E): column j of w·permutation is column order[j] of w.
Tensor permutation(const std::vector<Index>& order) {
    const auto E = static_cast<Index>(order.size());
    Tensor all = Tensor::zeros({E, E});
    for (Index j = 0; j < E; ++j) all(order[static_cast<std::size_t>(j)], j) = 1;
    return all;
}
Tensor permuted(const Tensor& w, const std::vector<Index>& order) {
    const Index E = w.size(-1);
    return matmul(w.contiguous().view({w.numel() / E, E}), permutation(order)).view(w.shape());
}

/// Grouped attention, query by query.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<float> weight(static_cast<std::size_t>(S));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                const Index g = h / (H / k.size(1));
                float largest = -INFINITY, total = 0;
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, g, s, i);
                    dot /= std::sqrt(static_cast<float>(d));
                    weight[static_cast<std::size_t>(s)] = blocked(b, h, t, s) ? -INFINITY : dot;
                    largest = std::max(largest, weight[static_cast<std::size_t>(s)]);
                }
                if (largest == -INFINITY) continue;  // it sees no key
                for (float& w : weight) total += w = std::exp(w - largest);
                for (Index s = 0; s < S; ++s)
                    for (Index i = 0; i < d_v; ++i)
                        context(b, h, t, i) += weight[static_cast<std::size_t>(s)] / total * v(b, g, s, i);
            }
    return context;
}

Tensor at_positions(const Tensor& x, const Tensor& positions, double base) {
    return rotate_pairs(x, rotation_angles(positions, x.size(3), base));
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions");
    Tensor all = Tensor::zeros({static_cast<Index>(padding.size()), T});
    for (Index b = 0; b < all.size(0); ++b) {
        const Index padded = padding[static_cast<std::size_t>(b)];
        require(padded >= 0, "padding");
        const Index begin = std::clamp<Index>(padded, 0, T);  // the first real token of these
        if (begin == T) continue;
        all[b].slice(0, begin, T).copy_from(Tensor::arange(T - begin) + static_cast<float>(begin - padded));
    }
    return all;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2 && d >= 2 && d % 2 == 0 && base > 0, "rotation_angles");
    const Index B = positions.size(0), T = positions.size(1);
    Tensor angles = Tensor::empty({B, T, d / 2});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index i = 0; i < d / 2; ++i) {
                const double share = static_cast<double>(2 * i) / static_cast<double>(d);
                const double turn = std::exp(-share * std::log(base));
                angles(b, t, i) = static_cast<float>(static_cast<double>(positions(b, t)) * turn);
            }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const Index B = x.size(0), T = x.size(2);
    Tensor turned = Tensor::empty(x.shape());
    for (Index i = 0; i < x.size(3) / 2; ++i) {
        Tensor c = Tensor::empty({B, 1, T}), s = Tensor::empty({B, 1, T});
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) {
                c(b, 0, t) = std::cos(angles(b, t, i));
                s(b, 0, t) = std::sin(angles(b, t, i));
            }
        const Tensor even = x.select(3, 2 * i), odd = x.select(3, 2 * i + 1);  // (B, H, T)
        turned.select(3, 2 * i).copy_from(even * c - odd * s);
        turned.select(3, 2 * i + 1).copy_from(even * s + odd * c);
    }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    return times_matrix(x, turn_matrix(angles, 1, x.size(3) / 2));
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads), half = d / 2;
    const Tensor from = w.contiguous();
    Tensor other = Tensor::empty(w.shape());
    for (Index n = 0; n < from.numel(); ++n) {
        const Index feature = n % d, head = n - feature;
        other.data()[n] = from.data()[head + feature % half * 2 + feature / half];
    }
    return other;
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = width_of_head(w, num_heads);
    std::vector<Index> order;
    for (Index h = 0; h < num_heads; ++h)
        for (Index i = 0; i < d / 2; ++i)
            for (const Index half : {0, 1}) order.push_back(h * d + i + half * (d / 2));
    return permuted(w, order);
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_heads(q, k, v);
    const Tensor q_angles = rotation_angles(q_positions, q.size(3), base);
    const Tensor k_angles = rotation_angles(k_positions, k.size(3), base);
    return attend(rotate_pairs(q, q_angles), rotate_pairs(k, k_angles), v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_cache(cache, q, k, v, padding.size());
    const Index T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0, all = P + T;
    const Tensor positions = token_positions(padding, P, T);
    Cache grown{Tensor::empty({k.size(0), k.size(1), all, k.size(3)}),
                Tensor::empty({v.size(0), v.size(1), all, v.size(3)})};
    if (P > 0) {
        grown.k.slice(2, 0, P).copy_from(cache.k);
        grown.v.slice(2, 0, P).copy_from(cache.v);
    }
    grown.k.slice(2, P, all).copy_from(at_positions(k, positions, base));
    grown.v.slice(2, P, all).copy_from(v);
    Mask hidden = Mask::allow_all({q.size(0), 1, T, all});
    for (Index b = 0; b < q.size(0); ++b)
        for (Index t = 0; t < T; ++t) {
            const Index begin = std::min(padding[static_cast<std::size_t>(b)], all), end = P + t + 1;
            for (Index s = 0; s < begin; ++s) hidden(b, 0, t, s) = true;
            for (Index s = end; s < all; ++s) hidden(b, 0, t, s) = true;
        }
    return {attend(at_positions(q, positions, base), grown.k, grown.v, hidden), grown};
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
