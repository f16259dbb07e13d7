#include "small_numbers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace headway::ex12 {
namespace {

// ---- numbers of sixteen bits, as sixteen bits ----

std::uint16_t encode_half(float x) {
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const float a = std::abs(x);
    if (std::isnan(x)) return sign | 0x7E00;
    if (a >= 65520.0F) return sign | 0x7C00;
    if (a < std::ldexp(1.0F, -14)) return sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(a, 24)));
    const int exponent = std::ilogb(a);
    const int fraction = static_cast<int>(std::nearbyint(std::ldexp(a, 10 - exponent)));  // 1024 ... 2048: may carry
    return static_cast<std::uint16_t>(sign | (((exponent + 14) << 10) + fraction));
}

float decode_half(std::uint16_t bits) {
    const int magnitude = bits & 0x7FFF;
    const int exponent = magnitude >> 10;
    const int fraction = magnitude & 0x3FF;
    float a;
    if (magnitude > 0x7C00)
        a = std::numeric_limits<float>::quiet_NaN();
    else if (magnitude == 0x7C00)
        a = std::numeric_limits<float>::infinity();
    else if (exponent == 0)
        a = std::ldexp(static_cast<float>(fraction), -24);
    else
        a = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return (bits & 0x8000) != 0 ? -a : a;
}

std::uint16_t encode_bfloat16(float x) {
    if (std::isnan(x)) return 0x7FC0;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rest = bits & 0xFFFF;
    std::uint32_t upper = bits >> 16;
    if (rest > 0x8000 || (rest == 0x8000 && (upper & 1) == 1)) ++upper;
    return static_cast<std::uint16_t>(upper);
}

float decode_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

float through(Format format, float x) {
    return format == Format::half ? decode_half(encode_half(x)) : decode_bfloat16(encode_bfloat16(x));
}

float r(float x) { return decode_half(encode_half(x)); }

void expect(bool condition, const char* otherwise) {
    if (!condition) throw std::invalid_argument(otherwise);
}

void expect_whole(const Int8Rows& rows) {
    expect(rows.shape.size() == 4, "int8 rows: no shape of four axes");
    std::size_t count = 1;
    for (Index size : rows.shape) {
        expect(size > 0, "int8 rows: an empty axis");
        count *= static_cast<std::size_t>(size);
    }
    expect(count == rows.codes.size(), "int8 rows: too few or too many codes");
    expect(rows.scales.rank() == 3, "int8 rows: scales are (B, H, P)");
    for (Index axis = 0; axis < 3; ++axis)
        expect(rows.scales.size(axis) == rows.shape[axis], "int8 rows: scales are (B, H, P)");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(x.numel()));
    const Tensor dense = x.contiguous();
    for (const float* number = dense.data(); number != dense.data() + x.numel(); ++number)
        numbers.push_back(through(format, *number));
    return Tensor::of(x.shape(), numbers);
}

Tensor sum_in(const Tensor& x, Format format) {
    expect(x.rank() > 0, "sum_in: x has no axis");
    Shape shape = x.shape();
    const Index n = shape.back();
    shape.back() = 1;
    Tensor sums = Tensor::zeros(shape);
    const Tensor dense = x.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        float& total = sums.data()[i / n];
        total = through(format, total + dense.data()[i]);
    }
    return sums;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    expect(scores.rank() > 0, "softmax_in_half: scores have no axis");
    const Index S = scores.size(-1);
    const Tensor s = rounded(scores, Format::half);
    Tensor e = Tensor::zeros(scores.shape());
    const Index rows = scores.numel() / S;
    float m = -std::numeric_limits<float>::infinity();
    for (Index i = 0; i < rows * S; ++i) m = m < s.data()[i] ? s.data()[i] : m;
    for (Index row = 0; row < rows; ++row) {
        for (Index i = row * S; i < (row + 1) * S; ++i)
            if (!std::isinf(s.data()[i])) e.data()[i] = r(std::exp(r(s.data()[i] - m)));
    }
    const Tensor totals = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    const Tensor spread = totals.contiguous();
    for (Index i = 0; i < e.numel(); ++i)
        if (e.data()[i] != 0) e.data()[i] = r(e.data()[i] / spread.data()[i / S]);
    return e;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    expect(q.rank() == 4, "attention_in_half: q is (B, H, T, d)");
    expect(k.rank() == 4, "attention_in_half: k is (B, H, S, d)");
    expect(v.rank() == 4, "attention_in_half: v is (B, H, S, d_v)");
    expect(q.size(0) == k.size(0) && q.size(0) == v.size(0), "attention_in_half: B differs");
    expect(q.size(1) == k.size(1) && q.size(1) == v.size(1), "attention_in_half: H differs");
    expect(q.size(3) == k.size(3), "attention_in_half: d differs");
    expect(k.size(2) == v.size(2), "attention_in_half: S differs");
    const Shape all{q.size(0), q.size(1), q.size(2), k.size(2)};
    Tensor scores = matmul(rounded(q, Format::half), rounded(k, Format::half).transpose(2, 3));
    scores /= std::sqrt(static_cast<float>(q.size(3)));
    if (mask.defined()) {
        const Mask blocked = mask.expand(all);
        for (Index b = 0; b < all[0]; ++b)
            for (Index h = 0; h < all[1]; ++h)
                for (Index t = 0; t < all[2]; ++t)
                    for (Index s = 0; s < all[3]; ++s)
                        if (blocked(b, h, t, s)) scores(b, h, t, s) = -std::numeric_limits<float>::infinity();
    }
    // softmax_in_half rounds its scores first: that is the rounding of the scores here.
    return rounded(matmul(softmax_in_half(scores, Total::in_float), rounded(v, Format::half)), Format::half);
}

Tensor row_scales(const Tensor& x) {
    expect(x.rank() == 4, "row_scales: x is (B, H, P, width)");
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    const Tensor dense = x.contiguous();
    for (Index i = 0; i < dense.numel(); ++i) {
        float& largest = scales.data()[i / x.size(3)];
        largest = max(largest, std::abs(dense.data()[i]));
    }
    scales /= 127.0F;
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    expect(x.rank() == 4, "to_int8: x is (B, H, P, width)");
    expect(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "to_int8: scales are (B, H, P)");
    Int8Rows rows{x.shape(), std::vector<std::int8_t>(static_cast<std::size_t>(x.numel()), 0), scales.clone()};
    std::size_t at = 0;
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                const double scale = scales(b, h, p);
                expect(scale >= 0, "to_int8: a negative scale");
                for (Index i = 0; i < x.size(3); ++i, ++at) {
                    if (scale == 0) continue;
                    const double steps = std::abs(x(b, h, p, i) / scale);
                    const int code = steps >= 127 ? 127 : static_cast<int>(steps + 0.5);
                    rows.codes[at] = static_cast<std::int8_t>(x(b, h, p, i) < 0 ? -code : code);
                }
            }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    expect_whole(rows);
    const std::vector<float> codes(rows.codes.begin(), rows.codes.end());
    const Shape with_width{rows.shape[0], rows.shape[1], rows.shape[2], 1};
    Tensor scales = Tensor::empty(with_width);
    scales.view({rows.shape[0], rows.shape[1], rows.shape[2]}).copy_from(rows.scales);
    return Tensor::of(rows.shape, codes) * scales.expand(rows.shape);
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    expect(k.rank() == 4 && v.rank() == 4, "append: k and v have four axes");
    expect(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "append: k and v differ");
    const bool first = cache.k.shape.empty();
    expect(first == cache.v.shape.empty(), "append: keys without values, or values without keys");
    if (!first) {
        expect_whole(cache.k);
        expect_whole(cache.v);
        for (const std::size_t axis : {0, 1, 2})
            expect(cache.k.shape[axis] == cache.v.shape[axis], "append: a torn cache");
    }
    Int8Cache result;
    const Int8Rows* olds[] = {&cache.k, &cache.v};
    const Tensor* news[] = {&k, &v};
    Int8Rows* results[] = {&result.k, &result.v};
    for (int which = 0; which < 2; ++which) {
        const Tensor& x = *news[which];
        Int8Rows fresh = to_int8(x, row_scales(x));
        if (first) {
            *results[which] = fresh;
            continue;
        }
        const Int8Rows& old = *olds[which];
        expect(old.shape[0] == x.size(0) && old.shape[1] == x.size(1) && old.shape[3] == x.size(3),
               "append: other shapes");
        const Index P = old.shape[2], n = x.size(2), width = x.size(3);
        Int8Rows& all = *results[which];
        all.shape = {x.size(0), x.size(1), P + n, width};
        const Index count = x.size(0) * x.size(1) * (P + n) * width;
        for (Index i = 0; i < count; ++i) {  // where does code i come from?
            const Index column = i % width, row = i / width % (P + n), head = i / width / (P + n);
            all.codes.push_back(row < P ? old.codes[(head * P + row) * width + column]
                                        : fresh.codes[(head * n + row - P) * width + column]);
        }
        all.scales = cat({old.scales, fresh.scales}, -1);
    }
    return result;
}

/// One pass over the keys with a running maximum, on the codes themselves: q·(scale·codes) = scale·(q·codes).
Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    expect_whole(cache.k);
    expect_whole(cache.v);
    expect(q.rank() == 4, "int8_attention: q is (B, H, T, d)");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3);
    const Index P = cache.k.shape[2], d_v = cache.v.shape[3];
    expect(cache.k.shape == Shape{B, H, P, d}, "int8_attention: the keys do not fit the queries");
    expect(cache.v.shape == Shape{B, H, P, d_v}, "int8_attention: the values do not fit the keys");
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, P}) : Mask{};
    Tensor context = Tensor::zeros({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                double m = -std::numeric_limits<double>::infinity();
                double total = 0;
                std::vector<double> sums(static_cast<std::size_t>(d_v), 0.0);
                for (Index s = 0; s < P; ++s) {
                    if (blocked.defined() && blocked(b, h, t, s)) continue;
                    const std::int8_t* key = cache.k.codes.data() + ((b * H + h) * P + s) * d;
                    const std::int8_t* value = cache.v.codes.data() + ((b * H + h) * P + s) * d_v;
                    double dot = 0;
                    for (Index i = 0; i < d; ++i) dot += static_cast<double>(q(b, h, t, i)) * key[i];
                    const double score = dot * cache.k.scales(b, h, s) / std::sqrt(static_cast<double>(d));
                    if (score > m) {
                        const double shrink = std::exp(m - score);
                        total *= shrink;
                        for (double& sum : sums) sum *= shrink;
                        m = score;
                    }
                    const double weight = std::exp(score - m);
                    total += weight;
                    for (Index j = 0; j < d_v; ++j) sums[j] += weight * value[j] * cache.v.scales(b, h, s);
                }
                if (total > 0)
                    for (Index j = 0; j < d_v; ++j) context(b, h, t, j) = static_cast<float>(sums[j] / total);
            }
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    expect(B >= 1 && H >= 1 && S >= 1 && d >= 1 && d_v >= 1, "cache_bytes: a size is below 1");
    const auto bytes = [&](Index width) -> Index {
        switch (kept) {
            case Kept::as_float:
                return B * H * S * width * 4;
            case Kept::as_half:
                return B * H * S * width * 2;
            default:
                return B * H * S * width + B * H * S * 4;
        }
    };
    return bytes(d) + bytes(d_v);
}

}  // namespace headway::ex12
