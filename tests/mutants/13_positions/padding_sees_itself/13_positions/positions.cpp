#include "positions.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// Everything is made of rotate_halves: x · cos + (-second half, first half) · sin, with full-width tables.
// Attention keeps groups as an axis: (B, H_kv, group, T, S).
namespace headway::ex13 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void expect(bool ok, const char* otherwise) {
    if (!ok) throw std::invalid_argument(otherwise);
}

void expect_shape(const Tensor& x, const Shape& shape, const char* otherwise) { expect(x.shape() == shape, otherwise); }

template <float (*function)(float)>
Tensor apply(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    float* p = y.data();
    for (Index i = 0; i < y.numel(); ++i) p[i] = function(p[i]);
    return y;
}

float cosine(float angle) { return std::cos(angle); }
float sine(float angle) { return std::sin(angle); }

/// (B, T, d/2) -> (B, 1, T, d), the table twice beside itself
Tensor full_width(const Tensor& table) {
    return cat({table, table}, 2).contiguous().view({table.size(0), 1, table.size(1), 2 * table.size(2)});
}

/// The mask with heads as (H_kv, group).
Mask grouped(const Mask& mask, const Shape& wide_shape, Index H_kv) {
    const Mask wide = mask.expand(wide_shape);
    const Index group = wide_shape[1] / H_kv;
    const Strides& s = wide.strides();
    return wide.as_strided({wide_shape[0], H_kv, group, wide_shape[2], wide_shape[3]},
                           {s[0], s[1] * group, s[1], s[2], s[3]}, wide.layout().offset);
}

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index H_kv = k.size(1), S = k.size(2), d_v = v.size(3), group = H / H_kv;
    const Tensor queries = q.contiguous().view({B, H_kv, group, T, d}) / std::sqrt(static_cast<float>(d));
    const Tensor keys = k.contiguous().view({B, H_kv, 1, S, d}), values = v.contiguous().view({B, H_kv, 1, S, d_v});
    Tensor scores = matmul(queries, keys.transpose(-1, -2));  // (B, H_kv, group, T, S)
    if (mask.defined()) scores = masked_fill(scores, grouped(mask, {B, H, T, S}, H_kv), -infinity);
    Tensor largest = max(scores, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < largest.numel(); ++i)
        if (largest.data()[i] == -infinity) largest.data()[i] = 0;  // nothing seen
    const Tensor shares = exp(scores - largest);
    Tensor total = sum(shares, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    return (matmul(shares, values) / total).contiguous().view({B, H, T, d_v});
}

void check(const Tensor& q, const Tensor& k, const Tensor& v) {
    expect(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "four axes are needed");
    expect_shape(k, {q.size(0), k.size(1), k.size(2), q.size(3)}, "k does not fit q");
    expect_shape(v, {k.size(0), k.size(1), k.size(2), v.size(3)}, "v does not fit k");
    expect(k.size(1) > 0 && q.size(1) % k.size(1) == 0, "groups are not equal");
}

Tensor reordered(const Tensor& w, Index num_heads, bool to_halves) {
    expect(w.rank() > 0 && num_heads > 0, "no columns or no heads");
    expect(w.size(-1) % num_heads == 0 && (w.size(-1) / num_heads) % 2 == 0, "no heads of even width");
    const Index columns = w.size(-1), rows = w.numel() / columns, n = columns / num_heads / 2;
    const Shape before = to_halves ? Shape{rows, num_heads, n, 2} : Shape{rows, num_heads, 2, n};
    const Tensor other_way = w.contiguous().view(before).transpose(2, 3);
    Tensor result = Tensor::empty(other_way.shape());
    result.copy_from(other_way);
    return result.view(w.shape());
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    expect(!padding.empty() && T > 0 && first >= 0, "sizes");
    Tensor positions = Tensor::empty({static_cast<Index>(padding.size()), T});
    Index b = 0;
    for (const Index pad : padding) {
        expect(pad >= 0, "padding below 0");
        Index next = 0;  // position of the next real token
        if (first > pad) next = first - pad;
        for (Index t = 0; t < T; ++t) {
            positions(b, t) = static_cast<float>(next);
            if (first + t >= pad) ++next;
        }
        ++b;
    }
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    expect(positions.rank() == 2 && d > 1 && d % 2 == 0 && base > 0, "rotation_angles");
    const Index B = positions.size(0), T = positions.size(1);
    Tensor angles = Tensor::empty({B, T, d / 2});
    Index i = 0;
    for (Index feature = 0; feature < d; feature += 2, ++i) {
        const double wave = std::pow(base, static_cast<double>(feature) / static_cast<double>(d));
        for (Index b = 0; b < B; ++b)
            for (Index t = 0; t < T; ++t) angles(b, t, i) = static_cast<float>(positions(b, t) / wave);
    }
    return angles;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    expect(x.rank() == 4 && x.size(3) % 2 == 0, "x must be (B, H, T, d)");
    return halves_to_pairs(rotate_halves(pairs_to_halves(x, 1), angles), 1);
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    expect(x.rank() == 4 && x.size(3) % 2 == 0, "x must be (B, H, T, d)");
    const Index n = x.size(3) / 2;
    expect_shape(angles, {x.size(0), x.size(2), n}, "angles must be (B, T, d/2)");
    const Tensor other = cat({-x.slice(3, n, 2 * n), x.slice(3, 0, n)}, 3);
    return x * full_width(apply<cosine>(angles)) + other * full_width(apply<sine>(angles));
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) { return reordered(w, num_heads, true); }

Tensor halves_to_pairs(const Tensor& w, Index num_heads) { return reordered(w, num_heads, false); }

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    check(q, k, v);
    const Index d = q.size(3);
    return attention(rotate_pairs(q, rotation_angles(q_positions, d, base)),
                     rotate_pairs(k, rotation_angles(k_positions, d, base)), v, mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    check(q, k, v);
    const Index B = q.size(0), T = q.size(2), d = q.size(3);
    expect(k.size(2) == T && static_cast<Index>(padding.size()) == B, "new tokens or padding do not fit");
    expect(cache.k.defined() == cache.v.defined(), "half a cache");
    std::vector<Tensor> keys, values;
    Index P = 0;
    if (cache.k.defined()) {
        expect(cache.k.rank() == 4, "cached keys have four axes");
        P = cache.k.size(2);
        expect_shape(cache.k, {B, k.size(1), P, d}, "cached keys do not fit");
        expect_shape(cache.v, {B, k.size(1), P, v.size(3)}, "cached values do not fit");
        keys.push_back(cache.k);
        values.push_back(cache.v);
    }
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);
    keys.push_back(rotate_pairs(k, angles));
    values.push_back(v.clone());
    const Cache next{cat(keys, 2), cat(values, 2)};
    Mask future = given::causal_mask(T, P + T), pads = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index s = 0; s < P + T && s < padding.data()[b]; ++s)
            for (Index t = 0; t < T; ++t) pads(b, 0, t, s) = s != P + t;  // a row of softmax needs one key at least
    return {attention(rotate_pairs(q, angles), next.k, next.v, future | pads), next};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    expect(w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2, "matrices are needed");
    const Index D = w_q.size(0), E = w_q.size(1), E_kv = w_k.size(1);
    expect_shape(w_k, {D, E_kv}, "w_k");
    expect_shape(w_v, {D, E_kv}, "w_v");
    Packed packed;
    packed.weight = cat({w_q.transpose(0, 1), w_k.transpose(0, 1), w_v.transpose(0, 1)}, 0);
    if (b_q.defined() || b_k.defined() || b_v.defined()) {
        expect_shape(b_q, {E}, "b_q");
        expect_shape(b_k, {E_kv}, "b_k");
        expect_shape(b_v, {E_kv}, "b_v");
        packed.bias = cat({b_q, b_k, b_v}, 0);
    }
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    expect(num_heads > 0 && num_kv_heads > 0 && num_heads % num_kv_heads == 0, "groups are not equal");
    expect(packed.weight.rank() == 2, "a matrix is needed");
    const Index rows = packed.weight.size(0);
    expect(rows % (num_heads + 2 * num_kv_heads) == 0, "rows do not divide");
    const Index d = rows / (num_heads + 2 * num_kv_heads), E = num_heads * d, E_kv = num_kv_heads * d;
    Tensor all = Tensor::empty({packed.weight.size(1), rows});  // x · w
    all.copy_from(packed.weight.transpose(0, 1));
    Projections parts{all.slice(1, 0, E), all.slice(1, E, E + E_kv), all.slice(1, E + E_kv, rows), {}, {}, {}};
    if (packed.bias.defined()) {
        expect_shape(packed.bias, {rows}, "bias");
        const Tensor b = packed.bias.clone();
        parts.b_q = b.slice(0, 0, E);
        parts.b_k = b.slice(0, E, E + E_kv);
        parts.b_v = b.slice(0, E + E_kv, rows);
    }
    return parts;
}

}  // namespace headway::ex13
