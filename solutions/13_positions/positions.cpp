#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace headway::ex13 {
namespace {

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

void require_shape(const std::string& function, const std::string& name, const Tensor& x, const Shape& expected) {
    if (x.shape() != expected)
        refuse(function, name + " is " + to_string(x.shape()) + "; it must be " + to_string(expected));
}

/// Every second element of the last axis, from `begin` on: a view.
Tensor every_second(const Tensor& x, Index begin) {
    Shape shape = x.shape();
    Strides strides = x.strides();
    const Index offset = x.offset() + begin * strides.back();
    shape.back() /= 2;
    strides.back() *= 2;
    return x.as_strided(shape, strides, offset);
}

/// cos or sin of each angle, with an axis for heads: (B, T, d/2) -> (B, 1, T, d/2).
Tensor for_all_heads(const Tensor& angles, double (*function)(double)) {
    Tensor result = Tensor::empty(angles.shape());
    const Tensor dense = angles.contiguous();
    for (Index i = 0; i < dense.numel(); ++i)
        result.data()[i] = static_cast<float>(function(static_cast<double>(dense.data()[i])));
    return result.view({angles.size(0), 1, angles.size(1), angles.size(2)});
}

double cosine(double angle) { return std::cos(angle); }
double sine(double angle) { return std::sin(angle); }

/// Writes the turned points (x, y) into two views of the result.
void turn(const Tensor& x, const Tensor& y, const Tensor& angles, Tensor new_x, Tensor new_y) {
    const Tensor cos = for_all_heads(angles, &cosine), sin = for_all_heads(angles, &sine);
    new_x.copy_from(x * cos - y * sin);
    new_y.copy_from(x * sin + y * cos);
}

void require_angles(const std::string& function, const Tensor& x, const Tensor& angles) {
    if (x.rank() != 4 || x.size(3) % 2 != 0)
        refuse(function, "x must be (B, H, T, d) with d even, not " + to_string(x.shape()));
    require_shape(function, "angles", angles, {x.size(0), x.size(2), x.size(3) / 2});
}

/// The width of a head of w, (..., H·d).
Index head_width(const std::string& function, const Tensor& w, Index num_heads) {
    if (w.rank() < 1 || num_heads < 1 || w.size(-1) % (2 * num_heads) != 0)
        refuse(function, to_string(w.shape()) + " has no " + std::to_string(num_heads) + " heads of even width");
    return w.size(-1) / num_heads;
}

/// (..., H·d) -> (..., H, a, b), with a·b = d.
Tensor with_three_axes_for_one(const Tensor& w, Index H, Index a, Index b) {
    Shape shape = w.shape();
    shape.back() = H;
    shape.push_back(a);
    shape.push_back(b);
    return w.contiguous().view(shape);
}

/// Keys or values (B, H_kv, S, d) for H query heads: neighbours share.
Tensor shared(const Tensor& kv, Index H) {
    const Index B = kv.size(0), H_kv = kv.size(1), S = kv.size(2), d = kv.size(3);
    const Tensor each = kv.contiguous().view({B, H_kv, 1, S, d});
    return each.expand({B, H_kv, H / H_kv, S, d}).contiguous().view({B, H, S, d});
}

void require_heads(const std::string& function, const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse(function, "q, k and v must have four axes");
    require_shape(function, "k", k, {q.size(0), k.size(1), k.size(2), q.size(3)});
    require_shape(function, "v", v, {k.size(0), k.size(1), k.size(2), v.size(3)});
    if (q.size(1) % k.size(1) != 0)
        refuse(function,
               std::to_string(q.size(1)) + " heads do not form " + std::to_string(k.size(1)) + " groups of one size");
}

/// True (may not be seen) for padding, columns [0, padding[b]), and for what comes later than new token t.
Mask decoding_mask(const std::vector<Index>& padding, Index P, Index T) {
    const auto B = static_cast<Index>(padding.size());
    Mask mask = Mask::allow_all({B, 1, T, P + T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < P + T; ++s) mask(b, 0, t, s) = s < padding[static_cast<std::size_t>(b)] || s > P + t;
    return mask;
}

}  // namespace

Tensor token_positions(const std::vector<Index>& padding, Index first, Index T) {
    // B counts -> (B, T)
    if (padding.empty() || first < 0 || T < 1 || *std::min_element(padding.begin(), padding.end()) < 0)
        refuse("token_positions", "counts and `first` must be at least 0, T at least 1, and a sequence must be there");
    const auto B = static_cast<Index>(padding.size());
    Tensor positions = Tensor::empty({B, T});
    for (Index b = 0; b < B; ++b)
        for (Index t = 0; t < T; ++t)
            positions(b, t) = static_cast<float>(std::max<Index>(0, first + t - padding[static_cast<std::size_t>(b)]));
    return positions;
}

Tensor rotation_angles(const Tensor& positions, Index d, double base) {
    // positions (B, T) -> (B, T, 1) · (d/2) -> (B, T, d/2)
    if (positions.rank() != 2)
        refuse("rotation_angles", "positions must be (B, T), not " + to_string(positions.shape()));
    if (d < 2 || d % 2 != 0) refuse("rotation_angles", "d must be even, not " + std::to_string(d));
    if (!(base > 0)) refuse("rotation_angles", "base must be above 0, not " + std::to_string(base));
    Tensor frequency = Tensor::empty({d / 2});
    for (Index i = 0; i < d / 2; ++i)
        frequency(i) = static_cast<float>(std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(d)));
    const Tensor column = positions.contiguous().view({positions.size(0), positions.size(1), 1});
    return column * frequency;
}

Tensor rotate_pairs(const Tensor& x, const Tensor& angles) {
    // x (B, H, T, d), angles (B, T, d/2) -> (B, H, T, d)
    require_angles("rotate_pairs", x, angles);
    const Tensor turned = Tensor::empty(x.shape());
    turn(every_second(x, 0), every_second(x, 1), angles, every_second(turned, 0), every_second(turned, 1));
    return turned;
}

Tensor rotate_halves(const Tensor& x, const Tensor& angles) {
    // x (B, H, T, d), angles (B, T, d/2) -> (B, H, T, d)
    require_angles("rotate_halves", x, angles);
    const Tensor turned = Tensor::empty(x.shape());
    const Index d = x.size(3);
    turn(x.slice(3, 0, d / 2), x.slice(3, d / 2, d), angles, turned.slice(3, 0, d / 2), turned.slice(3, d / 2, d));
    return turned;
}

Tensor pairs_to_halves(const Tensor& w, Index num_heads) {
    // (..., H·d) -> (..., H, d/2, 2) -> (..., H, 2, d/2) -> (..., H·d)
    const Index d = head_width("pairs_to_halves", w, num_heads);
    return with_three_axes_for_one(w, num_heads, d / 2, 2).transpose(-2, -1).contiguous().view(w.shape());
}

Tensor halves_to_pairs(const Tensor& w, Index num_heads) {
    // (..., H·d) -> (..., H, 2, d/2) -> (..., H, d/2, 2) -> (..., H·d)
    const Index d = head_width("halves_to_pairs", w, num_heads);
    return with_three_axes_for_one(w, num_heads, 2, d / 2).transpose(-2, -1).contiguous().view(w.shape());
}

Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask) {
    // q (B, H, T, d), k (B, H_kv, S, d), v (B, H_kv, S, d_v) -> (B, H, T, d_v)
    require_heads("rotary_attention", q, k, v);
    const Index H = q.size(1), d = q.size(3);
    const Tensor turned_q = rotate_pairs(q, rotation_angles(q_positions, d, base));
    const Tensor turned_k = rotate_pairs(k, rotation_angles(k_positions, d, base));
    return given::scaled_dot_product_context(turned_q, shared(turned_k, H), shared(v, H), mask);
}

Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base) {
    // q (B, H, T, d), k (B, H_kv, T, d), v (B, H_kv, T, d_v), P tokens in the cache -> (B, H, T, d_v)
    require_heads("decode", q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index P = cache.k.defined() ? cache.k.size(2) : 0;
    require_shape("decode", "k", k, {B, k.size(1), T, d});
    if (cache.k.defined() != cache.v.defined()) refuse("decode", "a cache holds keys and values, or neither");
    if (cache.k.defined()) {
        require_shape("decode", "cache.k", cache.k, {B, k.size(1), P, d});
        require_shape("decode", "cache.v", cache.v, {B, k.size(1), P, v.size(3)});
    }
    if (static_cast<Index>(padding.size()) != B) refuse("decode", "there must be a count of padding for each sequence");
    const Tensor angles = rotation_angles(token_positions(padding, P, T), d, base);  // of the new tokens alone
    const Tensor turned = rotate_pairs(k, angles);
    const Cache grown{P > 0 ? cat({cache.k, turned}, 2) : turned, P > 0 ? cat({cache.v, v}, 2) : v.clone()};
    const Tensor context = given::scaled_dot_product_context(rotate_pairs(q, angles), shared(grown.k, H),
                                                             shared(grown.v, H), decoding_mask(padding, P, T));
    return {context, grown};
}

Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v) {
    // (D, E), (D, E_kv), (D, E_kv) -> (E + 2·E_kv, D)
    if (w_q.rank() != 2 || w_k.rank() != 2) refuse("pack_in_projection", "weights must be matrices");
    require_shape("pack_in_projection", "w_k", w_k, {w_q.size(0), w_k.size(1)});
    require_shape("pack_in_projection", "w_v", w_v, w_k.shape());
    Packed packed;
    packed.weight = cat({w_q, w_k, w_v}, 1).transpose(0, 1).contiguous();
    if (!b_q.defined() && !b_k.defined() && !b_v.defined()) return packed;
    require_shape("pack_in_projection", "b_q", b_q, {w_q.size(1)});
    require_shape("pack_in_projection", "b_k", b_k, {w_k.size(1)});
    require_shape("pack_in_projection", "b_v", b_v, {w_v.size(1)});
    packed.bias = cat({b_q, b_k, b_v}, 0);
    return packed;
}

Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads) {
    // (E + 2·E_kv, D) -> (D, E), (D, E_kv), (D, E_kv)
    if (num_heads < 1 || num_kv_heads < 1 || num_heads % num_kv_heads != 0)
        refuse("unpack_in_projection", "heads do not form groups of one size");
    if (packed.weight.rank() != 2) refuse("unpack_in_projection", "the weight must be a matrix");
    const Index rows = packed.weight.size(0), heads = num_heads + 2 * num_kv_heads;
    if (rows % heads != 0)
        refuse("unpack_in_projection", std::to_string(rows) + " rows are not " + std::to_string(heads) + " heads");
    const Index E = rows / heads * num_heads, E_kv = rows / heads * num_kv_heads;
    const Tensor columns = packed.weight.transpose(0, 1);  // (D, E + 2·E_kv)
    Projections parts;
    parts.w_q = columns.slice(1, 0, E).clone();
    parts.w_k = columns.slice(1, E, E + E_kv).clone();
    parts.w_v = columns.slice(1, E + E_kv, rows).clone();
    if (!packed.bias.defined()) return parts;
    require_shape("unpack_in_projection", "the bias", packed.bias, {rows});
    parts.b_q = packed.bias.slice(0, 0, E).clone();
    parts.b_k = packed.bias.slice(0, E, E + E_kv).clone();
    parts.b_v = packed.bias.slice(0, E + E_kv, rows).clone();
    return parts;
}

}  // namespace headway::ex13
