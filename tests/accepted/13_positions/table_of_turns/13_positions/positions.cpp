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

struct Turn {
    float cos, sin;
};

/// Cosine and sine of all angles, row-major, computed once for all heads.
std::vector<Turn> table_of(const Tensor& angles) {
    const Tensor dense = angles.contiguous();
    std::vector<Turn> table;
    for (Index i = 0; i < dense.numel(); ++i) table.push_back({std::cos(dense.data()[i]), std::sin(dense.data()[i])});
    return table;
}

/// The queries of a group stacked: keys and values are used where they are.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), H_kv = k.size(1), rows = H / H_kv * T;
    const Tensor stacked = q.contiguous().view({B, H_kv, rows, q.size(3)});
    Mask folded;
    if (mask.defined()) {
        const Mask dense = mask.expand({B, H, T, S}).clone();
        folded = Mask::allow_all({B, H_kv, rows, S});
        std::copy(dense.data(), dense.data() + dense.numel(), folded.data());
    }
    const Tensor context = given::scaled_dot_product_context(stacked, k, v, folded);
    return context.contiguous().view({B, H, T, v.size(3)});
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    require(!padding.empty() && first >= 0 && T >= 1, "token_positions");
    for (const Index padded : padding) require(padded >= 0, "padding");
    const auto B = static_cast<Index>(padding.size());
    Tensor all = Tensor::empty({B, T});
    float* out = all.data();
    for (const Index padded : padding)
        for (Index t = 0; t < T; ++t) {
            const Index column = first + t;
            *out++ = column < padded ? 0.0F : static_cast<float>(column - padded);
        }
    return all;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    require(positions.rank() == 2 && d >= 2 && d % 2 == 0 && base > 0, "rotation_angles");
    std::vector<float> wavelength;
    for (Index feature = 0; feature < d; feature += 2)
        wavelength.push_back(static_cast<float>(std::pow(base, static_cast<double>(feature) / static_cast<double>(d))));
    const Tensor column = positions.contiguous().view({positions.size(0), positions.size(1), 1});
    return column / Tensor::of({d / 2}, wavelength);
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const std::vector<Turn> table = table_of(angles);
    const Tensor from = x.contiguous();
    Tensor turned = Tensor::empty(x.shape());
    const Index B = x.size(0), H = x.size(1), T = x.size(2), pairs = x.size(3) / 2;
    for (Index row = 0; row < B * H * T; ++row) {
        const Index b = row / (H * T), t = row % T;
        const float* in = from.data() + row * 2 * pairs;
        float* out = turned.data() + row * 2 * pairs;
        for (Index i = 0; i < pairs; ++i) {
            const Turn& turn = table[static_cast<std::size_t>((b * T + t) * pairs + i)];
            out[2 * i] = in[2 * i] * turn.cos - in[2 * i + 1] * turn.sin;
            out[2 * i + 1] = in[2 * i] * turn.sin + in[2 * i + 1] * turn.cos;
        }
    }
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    check_turn(x, angles);
    const std::vector<Turn> table = table_of(angles);
    const Tensor from = x.contiguous();
    Tensor turned = Tensor::empty(x.shape());
    const Index B = x.size(0), H = x.size(1), T = x.size(2), half = x.size(3) / 2;
    for (Index row = 0; row < B * H * T; ++row) {
        const Index b = row / (H * T), t = row % T;
        const float* in = from.data() + row * 2 * half;
        float* out = turned.data() + row * 2 * half;
        for (Index i = 0; i < half; ++i) {
            const Turn& turn = table[static_cast<std::size_t>((b * T + t) * half + i)];
            out[i] = in[i] * turn.cos - in[half + i] * turn.sin;
            out[half + i] = in[i] * turn.sin + in[half + i] * turn.cos;
        }
    }
    return turned;
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
    const Index d = width_of_head(w, num_heads), half = d / 2;
    const Tensor from = w.contiguous();
    Tensor other = Tensor::empty(w.shape());
    for (Index n = 0; n < from.numel(); ++n) {
        const Index feature = n % d, head = n - feature;
        other.data()[n] = from.data()[head + feature / 2 + feature % 2 * half];
    }
    return other;
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
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = cache.k.defined() ? cache.k.size(2) : 0;
    const Tensor angles = rotation_angles(token_positions(padding, P, T), q.size(3), base);
    const Tensor turned_q = rotate_pairs(q, angles), turned_k = rotate_pairs(k, angles);
    const Cache grown = P == 0 ? Cache{turned_k, v.clone()} : Cache{cat({cache.k, turned_k}, 2), cat({cache.v, v}, 2)};
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b) {  // each text by itself, from its first real token on
        const Index begin = padding[static_cast<std::size_t>(b)];
        for (Index t = std::max<Index>(0, begin - P); t < T; ++t) {
            const auto seen = [&](const Tensor& kv) { return kv.slice(0, b, b + 1).slice(2, begin, P + t + 1); };
            const Tensor query = turned_q.slice(0, b, b + 1).slice(2, t, t + 1);
            context.slice(0, b, b + 1).slice(2, t, t + 1).copy_from(attend(query, seen(grown.k), seen(grown.v), {}));
        }
    }
    return {context, grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    const bool biased = check_pack(w_q, w_k, w_v, b_q, b_k, b_v);
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1), all = E + 2 * E_kv;
    Tensor weight = Tensor::empty({all, D});
    weight.slice(0, 0, E).copy_from(w_q.transpose(0, 1));
    weight.slice(0, E, E + E_kv).copy_from(w_k.transpose(0, 1));
    weight.slice(0, E + E_kv, all).copy_from(w_v.transpose(0, 1));
    if (!biased) return {weight, {}};
    Tensor bias = Tensor::empty({all});
    bias.slice(0, 0, E).copy_from(b_q);
    bias.slice(0, E, E + E_kv).copy_from(b_k);
    bias.slice(0, E + E_kv, all).copy_from(b_v);
    return {weight, bias};
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    const Index d = check_unpack(packed, num_heads, num_kv_heads);
    const auto part = [&](const Tensor& all, Index first_head, Index heads) {
        return all.slice(0, first_head * d, (first_head + heads) * d);
    };
    const auto weight = [&](Index first_head, Index heads) {
        return part(packed.weight, first_head, heads).transpose(0, 1).contiguous().clone();
    };
    const auto bias = [&](Index first_head, Index heads) {
        return packed.bias.defined() ? part(packed.bias, first_head, heads).clone() : Tensor{};
    };
    const Index keys = num_heads, values = num_heads + num_kv_heads;
    return {weight(0, num_heads), weight(keys, num_kv_heads), weight(values, num_kv_heads),
            bias(0, num_heads),   bias(keys, num_kv_heads),   bias(values, num_kv_heads)};
}

}  // namespace headway::ex13
