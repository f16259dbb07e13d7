#include "small_numbers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

// Index loops everywhere; numbers are rounded by their bits.

namespace headway::ex12 {
namespace {

const float INF = std::numeric_limits<float>::infinity();

float half_of(float x) {
    std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t sign = bits & 0x80000000U;
    bits &= 0x7FFFFFFFU;
    if (bits >= 0x7F800000U) return x;                                         // infinity, NaN
    if (bits >= 0x477FF000U) return std::bit_cast<float>(sign | 0x7F800000U);  // 65,520
    if (bits < 0x38800000U) {  // 2^-14: floats from 0.5 on are 2^-24 apart
        const float magnitude = (std::bit_cast<float>(bits) + 0.5F) - 0.5F;
        return std::copysign(magnitude, x);
    }
    bits += 0x0FFFU + ((bits >> 13) & 1U);
    bits &= ~0x1FFFU;
    return std::bit_cast<float>(sign | bits);
}

float bfloat16_of(float x) {
    if (std::isnan(x) || std::isinf(x)) return x;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    bits += 0x7FFFU + ((bits >> 16) & 1U);
    bits &= 0xFFFF0000U;
    return std::bit_cast<float>(bits);
}

float round_to(float x, Format format) { return format == Format::half ? half_of(x) : bfloat16_of(x); }

void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check_int8_rows(const Int8Rows& rows) {
    if (rows.shape.size() != 4) refuse("rows need the shape (B, H, P, width)");
    Index count = 1;
    for (Index size : rows.shape) {
        if (size < 1) refuse("rows: a size is below 1");
        count *= size;
    }
    if (static_cast<Index>(rows.codes.size()) != count) refuse("rows: codes do not fill the shape");
    if (rows.scales.rank() != 3) refuse("rows: scales need the shape (B, H, P)");
    for (Index axis = 0; axis < 3; ++axis)
        if (rows.scales.size(axis) != rows.shape[axis]) refuse("rows: scales need the shape (B, H, P)");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor in = x.contiguous();
    Tensor out = Tensor::zeros(x.shape());
    const Index count = x.numel();
    for (Index i = 0; i < count; ++i) out.data()[i] = round_to(in.data()[i], format);
    return out;
}

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() == 0) refuse("sum_in: x has no axis");
    const Index n = x.size(-1);
    const Index rows = x.numel() / n;
    const Tensor in = x.contiguous();
    Shape shape = x.shape();
    shape[shape.size() - 1] = 1;
    Tensor out = Tensor::zeros(shape);
    float total = 0;
    for (Index row = 0; row < rows; ++row) {
        for (Index i = 0; i < n; ++i) total = round_to(total + in.data()[row * n + i], format);
        out.data()[row] = total;
    }
    return out;
}

Tensor softmax_in_half(const Tensor& scores, Total total_kept) {
    if (scores.rank() == 0) refuse("softmax_in_half: scores have no axis");
    const Index S = scores.size(-1);
    const Index rows = scores.numel() / S;
    const Tensor in = scores.contiguous();
    Tensor out = Tensor::zeros(scores.shape());
    for (Index row = 0; row < rows; ++row) {
        const float* from = in.data() + row * S;
        float* to = out.data() + row * S;
        float largest = -INF;
        for (Index s = 0; s < S; ++s) {
            const float score = half_of(from[s]);
            if (score > largest) largest = score;
        }
        if (largest == -INF) continue;  // nothing to see: zeros
        float total = 0;
        for (Index s = 0; s < S; ++s) {
            to[s] = half_of(std::exp(half_of(half_of(from[s]) - largest)));
            total += to[s];
            if (total_kept == Total::in_half) total = half_of(total);
        }
        for (Index s = 0; s < S; ++s) to[s] = half_of(to[s] / total);
    }
    return out;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) refuse("attention_in_half: q, k and v have four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("attention_in_half: k does not fit q");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != S) refuse("attention_in_half: v does not fit k");
    const bool masked = mask.defined();
    const Mask full = masked ? mask.expand({B, H, T, S}) : Mask{};
    const Tensor rq = rounded(q, Format::half), rk = rounded(k, Format::half), rv = rounded(v, Format::half);

    Tensor scores = Tensor::zeros({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += rq(b, h, t, i) * rk(b, h, s, i);
                    scores(b, h, t, s) = half_of(dot / std::sqrt(static_cast<float>(d)));
                    if (masked && full(b, h, t, s)) scores(b, h, t, s) = -INF;
                }
    const Tensor weights = softmax_in_half(scores, Total::in_float);
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index j = 0; j < d_v; ++j) {
                    float sum = 0;
                    for (Index s = 0; s < S; ++s) sum += weights(b, h, t, s) * rv(b, h, s, j);
                    context(b, h, t, j) = half_of(sum);
                }
    return context;
}

Tensor row_scales(const Tensor& x) {
    if (x.rank() != 4) refuse("row_scales: x needs the shape (B, H, P, width)");
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                float largest = 0;
                for (Index i = 0; i < x.size(3); ++i)
                    if (std::fabs(x(b, h, p, i)) > largest) largest = std::fabs(x(b, h, p, i));
                scales(b, h, p) = largest / 127;
            }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    if (x.rank() != 4) refuse("to_int8: x needs the shape (B, H, P, width)");
    if (scales.rank() != 3) refuse("to_int8: scales need the shape (B, H, P)");
    for (Index axis = 0; axis < 3; ++axis)
        if (scales.size(axis) != x.size(axis)) refuse("to_int8: scales do not fit x");
    Int8Rows rows;
    rows.shape = x.shape();
    rows.scales = Tensor::zeros(scales.shape());
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                const float scale = scales(b, h, p);
                if (scale < 0) refuse("to_int8: a scale is negative");
                rows.scales(b, h, p) = scale;
                for (Index i = 0; i < x.size(3); ++i) {
                    if (scale == 0) {
                        rows.codes.push_back(0);
                        continue;
                    }
                    float steps = x(b, h, p, i) / scale;
                    if (steps > 127) steps = 127;
                    if (steps < -127) steps = -127;
                    rows.codes.push_back(static_cast<std::int8_t>(std::lround(steps)));
                }
            }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    check_int8_rows(rows);
    Tensor x = Tensor::zeros(rows.shape);
    std::size_t at = 0;
    for (Index b = 0; b < rows.shape[0]; ++b)
        for (Index h = 0; h < rows.shape[1]; ++h)
            for (Index p = 0; p < rows.shape[2]; ++p)
                for (Index i = 0; i < rows.shape[3]; ++i)
                    x(b, h, p, i) = static_cast<float>(rows.codes[at++]) * rows.scales(b, h, p);
    return x;
}

static Int8Rows with_new(const Int8Rows& old, const Tensor& x) {
    const Int8Rows fresh = to_int8(x, row_scales(x));
    if (old.shape.empty()) return fresh;
    check_int8_rows(old);
    const Index B = old.shape[0], H = old.shape[1], P = old.shape[2], width = old.shape[3], n = x.size(2);
    if (x.size(0) != B || x.size(1) != H || x.size(3) != width) refuse("append: new tokens do not fit the cache");
    Int8Rows all;
    all.shape = {B, H, P + n, width};
    all.codes.resize(static_cast<std::size_t>(B * H * (P + n) * width));
    all.scales = Tensor::zeros({B, H, P + n});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index p = 0; p < P + n; ++p) {
                const bool is_old = p < P;
                const Int8Rows& source = is_old ? old : fresh;
                const Index position = is_old ? p : p - P;
                all.scales(b, h, p) = source.scales(b, h, position);
                for (Index i = 0; i < width; ++i)
                    all.codes[((b * H + h) * (P + n) + p) * width + i] =
                        source.codes[((b * H + h) * source.shape[2] + position) * width + i];
            }
    return all;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4) refuse("append: k and v have four axes");
    for (Index axis = 0; axis < 3; ++axis)
        if (k.size(axis) != v.size(axis)) refuse("append: k and v differ in B, H or n");
    if (cache.k.shape.empty() != cache.v.shape.empty()) refuse("append: a cache with half of its tensors");
    if (!cache.k.shape.empty() &&
        (cache.k.shape.size() != 4 || cache.v.shape.size() != 4 || cache.k.shape[2] != cache.v.shape[2]))
        refuse("append: keys and values of the cache do not fit each other");
    Int8Cache result;
    result.k = with_new(cache.k, k);
    result.v = with_new(cache.v, v);
    return result;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    if (q.rank() != 4) refuse("int8_attention: q has four axes");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), P = k.size(2), d_v = v.size(3);
    if (k.size(0) != B || k.size(1) != H || k.size(3) != d) refuse("int8_attention: the keys do not fit q");
    if (v.size(0) != B || v.size(1) != H || v.size(2) != P) refuse("int8_attention: the values do not fit the keys");
    const bool masked = mask.defined();
    const Mask full = masked ? mask.expand({B, H, T, P}) : Mask{};
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<float> weights(static_cast<std::size_t>(P));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float largest = -INF;
                for (Index s = 0; s < P; ++s) {
                    float dot = 0;
                    for (Index i = 0; i < d; ++i) dot += q(b, h, t, i) * k(b, h, s, i);
                    weights[s] = dot / std::sqrt(static_cast<float>(d));
                    if (masked && full(b, h, t, s)) weights[s] = -INF;
                    if (weights[s] > largest) largest = weights[s];
                }
                if (largest == -INF) continue;
                float total = 0;
                for (Index s = 0; s < P; ++s) {
                    weights[s] = std::exp(weights[s] - largest);
                    total += weights[s];
                }
                for (Index s = 0; s < P; ++s)
                    for (Index j = 0; j < d_v; ++j) context(b, h, t, j) += weights[s] / total * v(b, h, s, j);
            }
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    if (B < 1 || H < 1 || S < 1 || d < 1 || d_v < 1) refuse("cache_bytes: a size is below 1");
    Index bytes_of_row_pair = 0;
    if (kept == Kept::as_float) bytes_of_row_pair = 4 * d + 4 * d_v;
    if (kept == Kept::as_half) bytes_of_row_pair = 2 * d + 2 * d_v;
    if (kept == Kept::as_int8) bytes_of_row_pair = (d + 4) + (d_v + 4);
    return B * H * S * bytes_of_row_pair;
}

}  // namespace headway::ex12
