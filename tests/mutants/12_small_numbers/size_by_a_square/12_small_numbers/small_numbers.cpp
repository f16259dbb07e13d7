#include "small_numbers.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// std::remainder rounds half to even: what it leaves over is taken away. The rest with Tensor's operations.
namespace headway::ex12 {
namespace {

using Limits = std::numeric_limits<float>;

float nearest_half(float x) {
    if (std::isnan(x)) return Limits::quiet_NaN();
    if (std::fabs(x) >= 65520) return std::copysign(Limits::infinity(), x);
    if (x == 0) return x;
    const int exponent = std::ilogb(x) < -14 ? -14 : std::ilogb(x);
    return std::copysign(x - std::remainder(x, std::ldexp(1.0F, exponent - 10)), x);
}

float nearest_bfloat16(float x) {
    if (std::isnan(x)) return Limits::quiet_NaN();
    if (std::isinf(x) || x == 0) return x;
    const int exponent = std::ilogb(x) < -126 ? -126 : std::ilogb(x);
    const double wide = x;
    const double result = wide - std::remainder(wide, std::ldexp(1.0, exponent - 7));
    if (std::fabs(result) > Limits::max()) return std::copysign(Limits::infinity(), x);
    return std::copysign(static_cast<float>(result), x);
}

void invalid_unless(bool valid, const char* message) {
    if (!valid) throw std::invalid_argument(message);
}

bool rows_match(const Shape& a, const Shape& b) {
    return a.size() >= 3 && b.size() >= 3 && a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/// (B, H, P) -> (B, H, P, 1), whatever the strides.
Tensor as_column(const Tensor& scales) {
    Strides strides = scales.strides();
    strides.push_back(1);
    return scales.as_strided({scales.size(0), scales.size(1), scales.size(2), 1}, strides, scales.offset());
}

void check_int8(const Int8Rows& rows) {
    invalid_unless(rows.shape.size() == 4, "int8: the shape must be (B, H, P, width)");
    invalid_unless(rows.scales.rank() == 3 && rows_match(rows.shape, rows.scales.shape()), "int8: scales");
    std::size_t numbers = 1;
    for (const Index size : rows.shape) numbers *= static_cast<std::size_t>(size);
    invalid_unless(rows.codes.size() == numbers, "int8: codes");
}

void check_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
    invalid_unless(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention: four axes each");
    invalid_unless(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3), "attention: q and k");
    invalid_unless(rows_match(k.shape(), v.shape()), "attention: k and v");
}

Tensor masked_scores(const Tensor& scores, const Mask& mask) { return masked_fill(scores, mask, -Limits::infinity()); }

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor result = Tensor::empty(x.shape());
    result.copy_from(x);
    for (Index i = 0; i < result.numel(); ++i) {
        float& number = result.data()[i];
        number = format == Format::half ? nearest_half(number) : nearest_bfloat16(number);
    }
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    invalid_unless(x.rank() != 0, "sum_in: no axis to sum along");
    const Index last = x.rank() - 1;
    const auto place = [&](Index i) { return x.slice(last, i, i + 1); };
    Tensor total = rounded(place(0) + 0.0F, format);
    for (Index i = 1; i < x.size(last); ++i) total = rounded(place(i) + total, format);
    return total;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    invalid_unless(scores.rank() != 0, "softmax_in_half: no axis");
    const auto r = [](const Tensor& x) { return rounded(x, Format::half); };
    const Tensor s = r(scores);
    Tensor shift = max(s, -1, KeepAxis::yes).clone();
    for (Index i = 0; i < shift.numel(); ++i) {
        float& largest = shift.data()[i];
        if (largest == -Limits::infinity()) largest = 0;
    }
    const Tensor e = r(exp(r(s - shift)));
    Tensor divisor = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    divisor = divisor.contiguous().clone();
    for (Index i = 0; i < divisor.numel(); ++i)
        if (!(divisor.data()[i] > 0)) divisor.data()[i] = 1;  // e is 0 there
    return r(e / divisor);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_attention(q, k, v);
    const auto r = [](const Tensor& x) { return rounded(x, Format::half); };
    const Tensor q_half = r(q);
    const Tensor k_half = r(k);
    const Tensor v_half = r(v);
    const Tensor scores = r(matmul(q_half, k_half.transpose(-2, -1)) / std::sqrt(static_cast<float>(q.size(3))));
    const Tensor weights = softmax_in_half(masked_scores(scores, mask), Total::in_float);
    return r(matmul(weights, v_half));
}

Tensor row_scales(const Tensor& x) {
    invalid_unless(x.rank() == 4, "row_scales: four axes");
    Tensor magnitudes = x.contiguous().clone();
    for (Index i = 0; i < magnitudes.numel(); ++i)
        magnitudes.data()[i] = std::sqrt(magnitudes.data()[i] * magnitudes.data()[i]);
    return max(magnitudes, 3) / 127.0F;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    invalid_unless(x.rank() == 4, "to_int8: four axes");
    invalid_unless(scales.rank() == 3 && rows_match(x.shape(), scales.shape()), "to_int8: one scale for each row");
    Tensor divisors = Tensor::zeros(scales.shape());
    divisors.copy_from(scales);
    for (Index i = 0; i < divisors.numel(); ++i) {
        float& divisor = divisors.data()[i];
        invalid_unless(!(divisor < 0), "to_int8: scales are not negative");
        if (divisor == 0) divisor = Limits::infinity();  // finite / infinity is 0
    }
    const Tensor ratios = (x / as_column(divisors)).contiguous();
    Int8Rows rows;
    rows.shape = x.shape();
    rows.scales = scales.clone();
    for (Index i = 0; i < ratios.numel(); ++i) {
        float code = std::round(ratios.data()[i]);
        if (std::fabs(code) > 127) code = std::copysign(127.0F, code);
        rows.codes.push_back(static_cast<std::int8_t>(code));
    }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    check_int8(rows);
    Tensor x = Tensor::empty(rows.shape);
    for (std::size_t i = 0; i < rows.codes.size(); ++i) x.data()[i] = rows.codes[i];
    x *= as_column(rows.scales);
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    invalid_unless(k.rank() == 4 && v.rank() == 4 && rows_match(k.shape(), v.shape()), "append: k and v");
    Int8Cache result{to_int8(k, row_scales(k)), to_int8(v, row_scales(v))};
    if (!cache.k.shape.empty() || !cache.v.shape.empty()) {
        check_int8(cache.k);
        check_int8(cache.v);
        invalid_unless(rows_match(cache.k.shape, cache.v.shape), "append: the cache itself");
        const auto join = [](const Int8Rows& before, Int8Rows& rows) {
            const Index heads = rows.shape[0] * rows.shape[1];
            invalid_unless(before.shape[0] == rows.shape[0] && before.shape[1] == rows.shape[1], "append: B or H");
            invalid_unless(before.shape[3] == rows.shape[3], "append: width");
            std::vector<std::int8_t> codes;
            std::size_t from_before = 0, from_rows = 0;
            for (Index head = 0; head < heads; ++head) {
                for (Index i = 0; i < before.shape[2] * before.shape[3]; ++i)
                    codes.push_back(before.codes[from_before++]);
                for (Index i = 0; i < rows.shape[2] * rows.shape[3]; ++i) codes.push_back(rows.codes[from_rows++]);
            }
            rows.codes.swap(codes);
            rows.scales = cat({before.scales, rows.scales}, 2);
            rows.shape[2] = before.shape[2] + rows.shape[2];
        };
        join(cache.k, result.k);
        join(cache.v, result.v);
    }
    return result;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k);
    const Tensor v = from_int8(cache.v);
    check_attention(q, k, v);
    Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<float>(k.size(3)));
    scores = masked_scores(scores, mask);
    Tensor largest = max(scores, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < largest.numel(); ++i)
        if (largest.data()[i] == -Limits::infinity()) largest.data()[i] = 0;
    const Tensor weights = exp(scores - largest);
    Tensor total = sum(weights, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < total.numel(); ++i)
        if (total.data()[i] == 0) total.data()[i] = 1;
    return matmul(weights, v) / total;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    for (const Index size : {B, H, S, d, d_v}) invalid_unless(size >= 1, "cache_bytes: sizes");
    const Index tokens = B * H * S;
    Index bytes = tokens * d + tokens * d_v;
    if (kept == Kept::as_half) bytes *= 2;
    if (kept == Kept::as_float) bytes *= 4;
    if (kept == Kept::as_int8) bytes += 2 * tokens * 4;
    return bytes;
}

}  // namespace headway::ex12
