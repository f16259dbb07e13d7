#include "small_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

/// Drops the last bits of a float's 32: the carry of a fraction that is full runs on into the exponent.
std::uint32_t without_last(std::uint32_t bits, int dropped) {
    const std::uint32_t last_kept = bits >> dropped & 1U;
    return (bits + (1U << (dropped - 1)) - 1U + last_kept) >> dropped << dropped;
}

float to_bfloat16(float x) {
    if (std::isnan(x)) return x;
    return std::bit_cast<float>(without_last(std::bit_cast<std::uint32_t>(x), 16));
}

float to_half(float x) {
    if (std::isnan(x)) return x;
    constexpr std::uint32_t sign = 0x8000'0000U, of_65520 = 0x477F'F000U, of_2_to_minus_14 = 0x3880'0000U;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t size = bits & ~sign;
    if (size >= of_65520) return std::copysign(std::numeric_limits<float>::infinity(), x);
    if (size >= of_2_to_minus_14) return std::bit_cast<float>(without_last(bits, 13));
    // In [1/2, 1) floats are 2^-24 apart, as these halves are: the sum rounds as it should.
    const float raised = std::fabs(x) + 0.5F;
    return std::copysign(raised - 0.5F, x);
}

float to_format(float x, Format format) { return format == Format::half ? to_half(x) : to_bfloat16(x); }

/// The numbers of x one after the other, in memory of their own.
Tensor dense(const Tensor& x) { return x.contiguous().clone(); }

Tensor rows_of(const Tensor& x) {
    const Index width = x.size(-1);
    return dense(x).view({x.numel() / width, width});
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = dense(x);
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = to_format(y.data()[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    require(x.rank() >= 1, "sum_in: no axis");
    const Tensor rows = rows_of(x);
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor totals = Tensor::empty(shape);
    for (Index row = 0; row < rows.size(0); ++row) {
        float total = 0;
        for (Index i = 0; i < rows.size(1); ++i) total = to_format(total + rows(row, i), format);
        totals.data()[row] = total;
    }
    return totals;
}

Tensor softmax_in_half(const Tensor& scores, Total kept) {
    require(scores.rank() >= 1, "softmax_in_half: no axis");
    Tensor weights = dense(scores);
    const Index S = scores.size(-1);
    for (float* row = weights.data(); row != weights.data() + weights.numel(); row += S) {
        float largest = -std::numeric_limits<float>::infinity();
        for (Index s = 0; s < S; ++s) {
            row[s] = to_half(row[s]);
            largest = std::max(largest, row[s]);
        }
        if (std::isinf(largest)) {
            std::fill_n(row, S, 0.0F);
            continue;
        }
        float total = 0;
        for (Index s = 0; s < S; ++s) {
            row[s] = to_half(std::exp(to_half(row[s] - largest)));
            total += row[s];
            if (kept == Total::in_half) total = to_half(total);
        }
        for (Index s = 0; s < S; ++s) row[s] = to_half(row[s] / total);
    }
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention_in_half: q, k, v (B, H, length, width)");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    require(k.shape() == Shape{B, H, S, d}, "attention_in_half: k");
    require(v.shape() == Shape{B, H, S, d_v}, "attention_in_half: v");
    const Tensor rq = rounded(q, Format::half), rk = rounded(k, Format::half), rv = rounded(v, Format::half);
    Tensor scores = Tensor::empty({B, H, T, S});
    for (Index plane = 0; plane < B * H; ++plane)
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) {
                const float* query = rq.data() + (plane * T + t) * d;
                const float* key = rk.data() + (plane * S + s) * d;
                float total = 0;
                for (Index i = 0; i < d; ++i) total += query[i] * key[i];
                scores.data()[(plane * T + t) * S + s] = to_half(total / std::sqrt(static_cast<float>(d)));
            }
    scores = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    const Tensor weights = softmax_in_half(scores, Total::in_float);
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index plane = 0; plane < B * H; ++plane)
        for (Index t = 0; t < T; ++t) {
            float* out = context.data() + (plane * T + t) * d_v;
            for (Index s = 0; s < S; ++s)
                for (Index i = 0; i < d_v; ++i)
                    out[i] += weights.data()[(plane * T + t) * S + s] * rv.data()[(plane * S + s) * d_v + i];
        }
    return rounded(context, Format::half);
}

Tensor row_scales(const Tensor& x) {
    require(x.rank() == 4, "row_scales: x (B, H, P, width)");
    const Tensor rows = rows_of(x);
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index row = 0; row < rows.size(0); ++row)
        for (Index i = 0; i < rows.size(1); ++i)
            scales.data()[row] = std::max(scales.data()[row], std::fabs(rows(row, i)) / 127);
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    require(x.rank() == 4, "to_int8: x (B, H, P, width)");
    require(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "to_int8: scales (B, H, P)");
    const Tensor rows = rows_of(x);
    Int8Rows coded{x.shape(), {}, dense(scales)};
    coded.codes.reserve(static_cast<std::size_t>(x.numel()));
    for (Index row = 0; row < rows.size(0); ++row) {
        const float scale = coded.scales.data()[row];
        require(scale >= 0, "to_int8: a scale is negative");
        for (Index i = 0; i < rows.size(1); ++i) {
            const float quotient = scale == 0 ? 0 : std::clamp(rows(row, i) / scale, -127.0F, 127.0F);
            coded.codes.push_back(static_cast<std::int8_t>(std::lround(quotient)));
        }
    }
    return coded;
}

Tensor from_int8(const Int8Rows& rows) {
    require(rows.shape.size() == 4, "from_int8: shape (B, H, P, width)");
    require(rows.scales.shape() == Shape{rows.shape[0], rows.shape[1], rows.shape[2]}, "from_int8: scales (B, H, P)");
    Tensor x = Tensor::empty(rows.shape);
    require(static_cast<Index>(rows.codes.size()) == x.numel(), "from_int8: as many codes as the shape takes");
    const Tensor scales = rows.scales.contiguous();
    for (Index i = 0; i < x.numel(); ++i)
        x.data()[i] = static_cast<float>(rows.codes[static_cast<std::size_t>(i)]) * scales.data()[i / rows.shape[3]];
    return x;
}

namespace {

/// Old rows and new ones, head by head.
Int8Rows continued(const Int8Rows& old, const Tensor& x) {
    Int8Rows fresh = to_int8(x, row_scales(x));
    if (old.shape.empty()) return fresh;
    require(old.shape == Shape{x.size(0), x.size(1), old.shape[2], x.size(3)}, "append: not like the cache");
    const Index P = old.shape[2], n = x.size(2), width = x.size(3);
    Int8Rows all{{x.size(0), x.size(1), P + n, width}, {}, Tensor::empty({x.size(0), x.size(1), P + n})};
    const Tensor old_scales = dense(old.scales);
    auto old_code = old.codes.begin();
    auto new_code = fresh.codes.begin();
    const auto take = [&](auto& code) {
        all.codes.insert(all.codes.end(), code, code + width);
        code += width;
    };
    for (Index row = 0; row < all.scales.numel(); ++row) {
        const Index head = row / (P + n), p = row % (P + n);
        if (p < P)
            take(old_code);
        else
            take(new_code);
        all.scales.data()[row] = p < P ? old_scales.data()[head * P + p] : fresh.scales.data()[head * n + p - P];
    }
    return all;
}

}  // namespace

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    require(k.rank() == 4 && v.rank() == 4, "append: k, v (B, H, n, width)");
    require(v.shape() == Shape{k.size(0), k.size(1), k.size(2), v.size(3)}, "append: a value for each key");
    return {continued(cache.k, k), continued(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    require(q.rank() == 4, "int8_attention: q (B, H, T, d)");
    require(k.shape() == Shape{q.size(0), q.size(1), k.size(2), q.size(3)}, "int8_attention: keys");
    require(v.shape() == Shape{q.size(0), q.size(1), k.size(2), v.size(3)}, "int8_attention: values");
    return given::scaled_dot_product_attention(q, k, v, mask).context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    require(B > 0 && H > 0 && S > 0 && d > 0 && d_v > 0, "cache_bytes: sizes from 1 on");
    const auto row = [kept](Index width) {
        if (kept == Kept::as_int8) return width + static_cast<Index>(sizeof(float));
        return width * (kept == Kept::as_half ? 2 : 4);
    };
    return B * H * S * (row(d) + row(d_v));
}

}  // namespace headway::ex12
