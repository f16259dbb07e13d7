#include "small_numbers.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {

// Rounding by the bits of a float, and loops over indices.

namespace {

[[noreturn]] void refuse(const char* why) { throw std::invalid_argument(why); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The bits without the lowest `drop`, to nearest, ties to even. What overflows the fraction carries into the exponent.
std::uint32_t without(std::uint32_t bits, int drop) {
    const std::uint32_t odd = (bits >> drop) & 1U;
    bits += (1U << (drop - 1)) - 1U + odd;
    return (bits >> drop) << drop;
}

float to_bfloat16(float x) {
    if (std::isnan(x)) return x;
    return std::bit_cast<float>(without(std::bit_cast<std::uint32_t>(x), 16));
}

float to_half(float x) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000U, magnitude = bits & 0x7FFFFFFFU;
    if (magnitude >= 0x7F800000U) return x;  // infinite or NaN
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    if (exponent >= -14) {
        const std::uint32_t cut = without(magnitude, 13);
        const std::uint32_t past = 0x47800000U;  // 65,536
        return std::bit_cast<float>(sign | (cut >= past ? 0x7F800000U : cut));
    }
    // Subnormal: a whole number of 2^-24.
    const int shift = 13 + (-14 - exponent);
    if (shift > 24) return std::bit_cast<float>(sign);
    const std::uint32_t fraction = (magnitude & 0x007FFFFFU) | 0x00800000U;
    const std::uint32_t count = without(fraction, shift) >> shift;
    const float y = std::ldexp(static_cast<float>(count), -24);
    return sign ? -y : y;
}

float to_format(float x, Format format) { return format == Format::half ? to_half(x) : to_bfloat16(x); }

float r(float x) { return to_half(x); }

bool all_positive(const Shape& shape) {
    for (const Index size : shape)
        if (size < 1) return false;
    return true;
}

void check_rows(const Int8Rows& rows) {
    if (rows.shape.size() != 4 || !all_positive(rows.shape)) refuse("rows: shape");
    if (rows.scales.rank() != 3) refuse("rows: scales");
    Index numel = rows.shape[3];
    for (Index axis = 0; axis < 3; ++axis) {
        if (rows.scales.size(axis) != rows.shape[at(axis)]) refuse("rows: scales");
        numel *= rows.shape[at(axis)];
    }
    if (static_cast<Index>(rows.codes.size()) != numel) refuse("rows: codes");
}

/// (B, H, n, width) after (B, H, P, width); P may be 0.
Int8Rows after(const Int8Rows& old, const Tensor& x) {
    const Tensor x_scales = row_scales(x);
    const Int8Rows fresh = to_int8(x, x_scales);
    const Index B = x.size(0), H = x.size(1), n = x.size(2), width = x.size(3);
    const Index P = old.shape.empty() ? 0 : old.shape[2];
    Int8Rows result;
    result.shape = {B, H, P + n, width};
    result.codes.resize(at(B * H * (P + n) * width));
    result.scales = Tensor::zeros({B, H, P + n});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index p = 0; p < P + n; ++p) {
                const bool is_old = p < P;
                const Index to = ((b * H + h) * (P + n) + p) * width;
                const Index from = is_old ? ((b * H + h) * P + p) * width : ((b * H + h) * n + p - P) * width;
                for (Index i = 0; i < width; ++i)
                    result.codes[at(to + i)] = is_old ? old.codes[at(from + i)] : fresh.codes[at(from + i)];
                result.scales(b, h, p) = is_old ? old.scales(b, h, p) : fresh.scales(b, h, p - P);
            }
    return result;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = to_format(y.data()[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() < 1) refuse("sum_in: no axis");
    const Index n = x.size(-1);
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor totals = Tensor::zeros(shape);
    for (Index i = 0; i < n; ++i) totals = rounded(totals + x.slice(-1, i, i + 1), format);
    return totals;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    if (scores.rank() < 1) refuse("softmax_in_half: no axis");
    Tensor weights = rounded(scores, Format::half);
    const Index S = scores.size(-1), rows = weights.numel() / S;
    for (Index row = 0; row < rows; ++row) {
        float* x = weights.data() + row * S;
        float largest = -std::numeric_limits<float>::infinity();
        for (Index s = 0; s < S; ++s)
            if (x[s] > largest) largest = x[s];
        if (largest == -std::numeric_limits<float>::infinity()) {
            for (Index s = 0; s < S; ++s) x[s] = 0;
            continue;
        }
        float sum = 0;
        for (Index s = 0; s < S; ++s) {
            x[s] = r(std::exp(r(x[s] - largest)));
            sum = total == Total::in_half ? r(sum + x[s]) : sum + x[s];
        }
        for (Index s = 0; s < S; ++s) x[s] = r(x[s] / sum);
    }
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("attention_in_half: four axes");
    if (!all_positive(q.shape()) || !all_positive(k.shape()) || !all_positive(v.shape())) refuse("attention: sizes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("attention_in_half: k");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) refuse("attention_in_half: v");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    const float root = std::sqrt(static_cast<float>(d));
    Tensor scores = Tensor::empty({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += r(q(b, h, t, i)) * r(k(b, h, s, i));
                    scores(b, h, t, s) = r(dot / root);
                    if (blocked.defined() && blocked(b, h, t, s))
                        scores(b, h, t, s) = -std::numeric_limits<float>::infinity();
                }
    const Tensor weights = softmax_in_half(scores, Total::in_float);
    Tensor context = Tensor::empty({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index j = 0; j < d_v; ++j) {
                    float sum = 0;
                    for (Index s = 0; s < S; ++s) sum += weights(b, h, t, s) * r(v(b, h, s, j));
                    context(b, h, t, j) = r(sum);
                }
    return context;
}

Tensor row_scales(const Tensor& x) {
    if (x.rank() != 4 || !all_positive(x.shape())) refuse("row_scales: shape");
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                float largest = 0;
                for (Index i = 0; i < x.size(3); ++i) largest = max(largest, std::abs(x(b, h, p, i)));
                scales(b, h, p) = largest / 127.0F;
            }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    if (x.rank() != 4 || !all_positive(x.shape())) refuse("to_int8: shape");
    const Index B = x.size(0), H = x.size(1), P = x.size(2), width = x.size(3);
    if (scales.rank() != 3 || scales.size(0) != B || scales.size(1) != H || scales.size(2) != P)
        refuse("to_int8: scales");
    Int8Rows rows;
    rows.shape = x.shape();
    rows.scales = Tensor::zeros({B, H, P});
    rows.codes.reserve(at(x.numel()));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index p = 0; p < P; ++p) {
                const float scale = scales(b, 0, p);
                if (scale < 0) refuse("to_int8: a scale is negative");
                rows.scales(b, h, p) = scale;
                for (Index i = 0; i < width; ++i) {
                    float code = 0;
                    if (scale > 0) {
                        code = x(b, h, p, i) / scale;
                        if (code > 127) code = 127;
                        if (code < -127) code = -127;
                    }
                    rows.codes.push_back(static_cast<std::int8_t>(std::lround(code)));
                }
            }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    check_rows(rows);
    const Index B = rows.shape[0], H = rows.shape[1], P = rows.shape[2], width = rows.shape[3];
    Tensor x = Tensor::zeros(rows.shape);
    std::size_t next = 0;
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index p = 0; p < P; ++p)
                for (Index i = 0; i < width; ++i)
                    x(b, h, p, i) = static_cast<float>(rows.codes[next++]) * rows.scales(b, h, p);
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4) refuse("append: four axes");
    if (!all_positive(k.shape()) || !all_positive(v.shape())) refuse("append: sizes");
    for (Index axis = 0; axis < 3; ++axis)
        if (k.size(axis) != v.size(axis)) refuse("append: k and v");
    const bool nothing = cache.k.shape.empty() && cache.v.shape.empty();
    if (!nothing) {
        check_rows(cache.k);
        check_rows(cache.v);
        for (const Index axis : {0, 1, 3}) {
            if (cache.k.shape[at(axis)] != k.size(axis)) refuse("append: k does not fit the cache");
            if (cache.v.shape[at(axis)] != v.size(axis)) refuse("append: v does not fit the cache");
        }
        if (cache.k.shape[2] != cache.v.shape[2]) refuse("append: the cache does not fit itself");
    }
    Int8Cache result;
    result.k = after(cache.k, k);
    result.v = after(cache.v, v);
    return result;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    if (q.rank() != 4 || !all_positive(q.shape())) refuse("int8_attention: q");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), P = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("int8_attention: keys");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != P) refuse("int8_attention: values");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, P}) : Mask{};
    const float root = std::sqrt(static_cast<float>(d));
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<float> weights(at(P));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float largest = -std::numeric_limits<float>::infinity();
                for (Index p = 0; p < P; ++p) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, h, p, i);
                    const bool open = !blocked.defined() || !blocked(b, h, t, p);
                    weights[at(p)] = open ? dot / root : -std::numeric_limits<float>::infinity();
                    largest = max(largest, weights[at(p)]);
                }
                if (largest == -std::numeric_limits<float>::infinity()) continue;  // it sees no key
                float total = 0;
                for (float& weight : weights) total += weight = std::exp(weight - largest);
                for (Index p = 0; p < P; ++p)
                    for (Index j = 0; j < d_v; ++j) context(b, h, t, j) += weights[at(p)] / total * v(b, h, p, j);
            }
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    if (!all_positive({B, H, S, d, d_v})) refuse("cache_bytes: sizes");
    const Index rows = B * H * S;
    switch (kept) {
        case Kept::as_float:
            return rows * (4 * d + 4 * d_v);
        case Kept::as_half:
            return rows * (2 * d + 2 * d_v);
        case Kept::as_int8:
            return rows * (d + 4 + d_v + 4);
    }
    refuse("cache_bytes: kept");
}

}  // namespace headway::ex12
