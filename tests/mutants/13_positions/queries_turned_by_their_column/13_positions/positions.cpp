#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace headway::ex13 {

namespace {

void require(bool holds, const char* complaint) {
    if (!holds) throw std::invalid_argument(complaint);
}

void check_rotation(const Tensor& x, const Tensor& angles) {
    require(x.rank() == 4, "rotation: x is not (B, H, T, d)");
    require(x.size(3) % 2 == 0, "rotation: d is odd");
    const Shape expected{x.size(0), x.size(2), x.size(3) / 2};
    require(angles.shape() == expected, "rotation: angles are not (B, T, d/2)");
}

/// The width of a head, if num_heads of them fill the last axis.
Index head_width(const Tensor& w, Index num_heads) {
    require(w.rank() >= 1, "conversion: w has no axis");
    require(num_heads >= 1, "conversion: num_heads is below 1");
    const Index columns = w.size(-1);
    require(columns % num_heads == 0, "conversion: heads do not fill the last axis");
    const Index d = columns / num_heads;
    require(d % 2 == 0, "conversion: heads of odd width");
    return d;
}

/// (B, H_kv, S, n) -> (B, H, S, n), each head H / H_kv times in a row.
Tensor share_heads(const Tensor& x, Index H) {
    const Index B = x.size(0), H_kv = x.size(1), S = x.size(2), n = x.size(3);
    const Index group = H / H_kv;
    const Tensor apart = x.contiguous().view({B, H_kv, 1, S, n});
    return apart.expand({B, H_kv, group, S, n}).contiguous().view({B, H, S, n});
}

/// Shapes of q, k and v; S may be anything.
void check_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention: q, k and v have four axes");
    require(k.size(0) == q.size(0) && v.size(0) == q.size(0), "attention: batches differ");
    require(k.size(3) == q.size(3), "attention: q and k differ in width");
    require(v.size(1) == k.size(1) && v.size(2) == k.size(2), "attention: v does not fit k");
    require(q.size(1) % k.size(1) == 0, "attention: H_kv does not divide H");
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty(), "token_positions: no sequence");
    require(first >= 0, "token_positions: first is negative");
    require(T >= 1, "token_positions: T is below 1");
    for (const Index count : padding) require(count >= 0, "token_positions: a negative count");
    const Index B = static_cast<Index>(padding.size());
    Tensor positions = Tensor::zeros({B, T});
    for (Index b = 0; b < B; ++b) {
        const Index pad = padding[static_cast<std::size_t>(b)];
        for (Index t = 0; t < T; ++t) {
            const Index place = first + t - pad;
            positions(b, t) = static_cast<float>(std::max<Index>(0, place));
        }
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2, "rotation_angles: positions are not (B, T)");
    require(d >= 2 && d % 2 == 0, "rotation_angles: d is odd or below 2");
    require(base > 0, "rotation_angles: base is not above 0");
    const Index B = positions.size(0), T = positions.size(1), pairs = d / 2;
    Tensor angles = Tensor::zeros({B, T, pairs});
    for (Index i = 0; i < pairs; ++i) {
        const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(d);
        const double step = std::pow(base, exponent);
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) angles(b, t, i) = static_cast<float>(positions(b, t) * step);
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    const Index B = x.size(0), H = x.size(1), T = x.size(2), pairs = x.size(3) / 2;
    Tensor turned = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < pairs; ++i) {
                    const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
                    const float left = x(b, h, t, 2 * i), right = x(b, h, t, 2 * i + 1);
                    turned(b, h, t, 2 * i) = left * c - right * s;
                    turned(b, h, t, 2 * i + 1) = left * s + right * c;
                }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_rotation(x, angles);
    const Index B = x.size(0), H = x.size(1), T = x.size(2), half = x.size(3) / 2;
    Tensor turned = Tensor::zeros(x.shape());
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < half; ++i) {
                    const float c = std::cos(angles(b, t, i)), s = std::sin(angles(b, t, i));
                    const float front = x(b, h, t, i), back = x(b, h, t, i + half);
                    turned(b, h, t, i) = front * c - back * s;
                    turned(b, h, t, i + half) = front * s + back * c;
                }
    return turned;
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    const Index d = head_width(w, num_heads);
    const Tensor neighbours = w.contiguous().view({-1, num_heads, d / 2, 2});
    return neighbours.transpose(2, 3).contiguous().view(w.shape());
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    const Index d = head_width(w, num_heads);
    const Tensor halves = w.contiguous().view({-1, num_heads, 2, d / 2});
    return halves.transpose(2, 3).contiguous().view(w.shape());
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check_attention(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2);
    const Shape query_places{B, T}, key_places{B, S};
    require(q_positions.shape() == query_places, "rotary_attention: q_positions are not (B, T)");
    require(k_positions.shape() == key_places, "rotary_attention: k_positions are not (B, S)");
    const Mask full = mask.defined() ? mask.expand({B, H, T, S}) : mask;  // refuses what does not broadcast
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    return given::scaled_dot_product_context(turned_q, share_heads(turned_k, H), share_heads(v, H), full);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check_attention(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), H_kv = k.size(1), d_v = v.size(3);
    require(k.size(2) == T, "decode: as many new keys as new queries are needed");
    require(static_cast<Index>(padding.size()) == B, "decode: one count of padding for each text is needed");
    require(cache.k.defined() == cache.v.defined(), "decode: half a cache");
    Index P = 0;
    if (cache.k.defined()) {
        require(cache.k.rank() == 4, "decode: cached keys have four axes");
        P = cache.k.size(2);
        const Shape cached_keys{B, H_kv, P, d}, cached_values{B, H_kv, P, d_v};
        require(cache.k.shape() == cached_keys, "decode: cached keys do not fit");
        require(cache.v.shape() == cached_values, "decode: cached values do not fit");
    }

    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    const std::vector<Index> none(padding.size(), 0);  // what a query asks starts at its column
    const Tensor turned_q = rotate_pairs(q, rotation_angles(token_positions(none, P, T), d, base));
    const Tensor turned_k = rotate_pairs(k, angles);
    Cache longer;
    longer.k = P == 0 ? turned_k : cat({cache.k, turned_k}, 2);
    longer.v = P == 0 ? v.clone() : cat({cache.v, v}, 2);

    Mask hidden = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b) {
        const Index pad = padding[static_cast<std::size_t>(b)];
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s) hidden(b, 0, t, s) = s < pad || s > P + t;
    }
    const Tensor context =
        given::scaled_dot_product_context(turned_q, share_heads(longer.k, H), share_heads(longer.v, H), hidden);
    return {context, longer};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    require(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "pack_in_projection: weights are matrices");
    require(w_k.size(0) == w_q.size(0), "pack_in_projection: weights differ in D");
    require(w_k.shape() == w_v.shape(), "pack_in_projection: w_k and w_v differ");
    const bool all = b_q.defined() && b_k.defined() && b_v.defined();
    const bool any = b_q.defined() || b_k.defined() || b_v.defined();
    require(all == any, "pack_in_projection: some biases are missing");
    Packed packed;
    packed.weight = cat({w_q.transpose(0, 1), w_k.transpose(0, 1), w_v.transpose(0, 1)}, 0);
    if (all) {
        const Shape of_queries{w_q.size(1)}, of_keys{w_k.size(1)};
        require(b_q.shape() == of_queries, "pack_in_projection: b_q does not fit");
        require(b_k.shape() == of_keys && b_v.shape() == of_keys, "pack_in_projection: b_k or b_v does not fit");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    require(num_heads >= 1 && num_kv_heads >= 1, "unpack_in_projection: no heads");
    require(num_heads % num_kv_heads == 0, "unpack_in_projection: H_kv does not divide H");
    require(packed.weight.rank() == 2, "unpack_in_projection: the weight is a matrix");
    const Index rows = packed.weight.size(0), heads = num_heads + 2 * num_kv_heads;
    require(rows % heads == 0, "unpack_in_projection: rows do not divide into heads");
    const Index d = rows / heads, E = num_heads * d, E_kv = num_kv_heads * d;
    Projections parts;
    parts.w_q = packed.weight.slice(0, 0, E).transpose(0, 1);
    parts.w_k = packed.weight.slice(0, E, E + E_kv).transpose(0, 1);
    parts.w_v = packed.weight.slice(0, E + E_kv, rows).transpose(0, 1);
    if (packed.bias.defined()) {
        const Shape of_all{rows};
        require(packed.bias.shape() == of_all, "unpack_in_projection: the bias does not fit");
        parts.b_q = packed.bias.slice(0, 0, E);
        parts.b_k = packed.bias.slice(0, E, E + E_kv);
        parts.b_v = packed.bias.slice(0, E + E_kv, rows);
    }
    return parts;
}

}  // namespace headway::ex13
