#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex12 {
namespace {

[[noreturn]] void refuse(const std::string& function, const std::string& why) {
    throw std::invalid_argument(function + ": " + why);
}

void require_shape(const std::string& function, const std::string& name, const Tensor& x, const Shape& expected) {
    if (x.shape() != expected)
        refuse(function, name + " is " + to_string(x.shape()) + "; it must be " + to_string(expected));
}

/// What a format of sixteen bits can hold.
struct Range {
    int fraction_bits;
    int least_exponent;  ///< of numbers whose first bit is 1
    double largest;
};

Range range_of(Format format) {
    if (format == Format::half) return {10, -14, 65'504};
    return {7, -126, 0x1.fep127};
}

float nearest(float x, const Range& range) {
    if (x == 0 || !std::isfinite(x)) return x;
    const double wide = x;
    const int exponent = std::max(std::ilogb(wide), range.least_exponent);
    const double step = std::ldexp(1.0, exponent - range.fraction_bits);
    const double result = std::nearbyint(wide / step) * step;  // ties to even; both factors are exact
    if (std::abs(result) > range.largest) return std::copysign(std::numeric_limits<float>::infinity(), x);
    return static_cast<float>(result);
}

Tensor half(const Tensor& x) { return rounded(x, Format::half); }

Shape without_last(Shape shape) {
    shape.pop_back();
    return shape;
}

void require_four_axes(const std::string& function, const std::string& name, const Tensor& x) {
    if (x.rank() != 4) refuse(function, name + " must have four axes, not " + to_string(x.shape()));
}

std::vector<float> row_major(const Tensor& x) {
    const Tensor dense = x.contiguous();
    return {dense.data(), dense.data() + dense.numel()};
}

/// Rows of both along the axis of tokens: those of `a` first.
Int8Rows joined(const Int8Rows& a, const Int8Rows& b) {
    if (a.shape.empty()) return b;
    const Index heads = a.shape[0] * a.shape[1];
    const Index of_a = a.shape[2] * a.shape[3], of_b = b.shape[2] * b.shape[3];  // codes per head
    Int8Rows both{{a.shape[0], a.shape[1], a.shape[2] + b.shape[2], a.shape[3]}, {}, cat({a.scales, b.scales}, 2)};
    both.codes.reserve(a.codes.size() + b.codes.size());
    for (Index head = 0; head < heads; ++head) {
        both.codes.insert(both.codes.end(), a.codes.begin() + head * of_a, a.codes.begin() + (head + 1) * of_a);
        both.codes.insert(both.codes.end(), b.codes.begin() + head * of_b, b.codes.begin() + (head + 1) * of_b);
    }
    return both;
}

void require_continues(const std::string& name, const Int8Rows& old, const Tensor& fresh) {
    require_four_axes("append", name, fresh);
    if (!old.shape.empty())
        require_shape("append", name, fresh, {old.shape[0], old.shape[1], fresh.size(2), old.shape[3]});
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor result = x.contiguous().clone();
    const Range range = range_of(format);
    std::transform(result.data(), result.data() + result.numel(), result.data(),
                   [&](float number) { return nearest(number, range); });
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    // (..., n) -> (..., 1)
    if (x.rank() < 1) refuse("sum_in", "x has no axis to sum along");
    const Index n = x.size(-1);
    const std::vector<float> numbers = row_major(x);
    Shape shape = without_last(x.shape());
    shape.push_back(1);
    Tensor totals = Tensor::zeros(shape);
    for (Index row = 0; row < totals.numel(); ++row)
        for (Index i = 0; i < n; ++i) {
            float& total = totals.data()[row];
            total = nearest(total + numbers[static_cast<std::size_t>(row * n + i)], range_of(format));
        }
    return totals;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    // (..., S) -> (..., S)
    if (scores.rank() < 1) refuse("softmax_in_half", "scores have no axis of keys");
    const Tensor s = half(scores);
    Tensor largest = max(s, -1, KeepAxis::yes);
    for (Index row = 0; row < largest.numel(); ++row)  // nothing but blocked keys: -inf - -inf would be NaN
        if (std::isinf(largest.data()[row])) largest.data()[row] = 0;
    const Tensor e = half(exp(half(s - largest)));
    Tensor sums = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    for (Index row = 0; row < sums.numel(); ++row)
        if (sums.data()[row] == 0) sums.data()[row] = 1;
    return half(e / sums);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    // q (B, H, T, d), k (B, H, S, d), v (B, H, S, d_v) -> (B, H, T, d_v)
    for (const Tensor* x : {&q, &k, &v}) require_four_axes("attention_in_half", "each tensor", *x);
    require_shape("attention_in_half", "k", k, {q.size(0), q.size(1), k.size(2), q.size(3)});
    require_shape("attention_in_half", "v", v, {q.size(0), q.size(1), k.size(2), v.size(3)});
    const Tensor sums = matmul(half(q), half(k).transpose(2, 3));
    const Tensor scores = half(sums / std::sqrt(static_cast<float>(q.size(3))));
    const Tensor masked = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    return half(matmul(softmax_in_half(masked, Total::in_float), half(v)));
}

Tensor row_scales(const Tensor& x) {
    // (B, H, P, width) -> (B, H, P)
    require_four_axes("row_scales", "x", x);
    Tensor scales = Tensor::zeros(without_last(x.shape()));
    const std::vector<float> numbers = row_major(x);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        float& scale = scales.data()[static_cast<Index>(i) / x.size(3)];
        scale = std::max(scale, std::abs(numbers[i]));
    }
    return scales / 127.0F;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    // (B, H, P, width), (B, H, P) -> a code for each number
    require_four_axes("to_int8", "x", x);
    require_shape("to_int8", "scales", scales, without_last(x.shape()));
    const std::vector<float> numbers = row_major(x), steps = row_major(scales);
    if (std::any_of(steps.begin(), steps.end(), [](float step) { return step < 0; }))
        refuse("to_int8", "a scale is negative");
    Int8Rows rows{x.shape(), std::vector<std::int8_t>(numbers.size()), scales.contiguous().clone()};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const float step = steps[i / static_cast<std::size_t>(x.size(3))];
        if (step > 0)
            rows.codes[i] = static_cast<std::int8_t>(std::clamp(std::nearbyint(numbers[i] / step), -127.0F, 127.0F));
    }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    // -> (B, H, P, width)
    if (rows.shape.size() != 4) refuse("from_int8", "the shape must have four axes, not " + to_string(rows.shape));
    require_shape("from_int8", "scales", rows.scales, without_last(rows.shape));
    Tensor x = Tensor::zeros(rows.shape);
    if (static_cast<Index>(rows.codes.size()) != x.numel())
        refuse("from_int8", std::to_string(rows.codes.size()) + " codes do not fill " + to_string(rows.shape));
    const std::vector<float> steps = row_major(rows.scales);
    for (std::size_t i = 0; i < rows.codes.size(); ++i)
        x.data()[i] = static_cast<float>(rows.codes[i]) * steps[i / static_cast<std::size_t>(rows.shape[3])];
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    // k (B, H, n, d), v (B, H, n, d_v): after the P tokens of the cache
    require_continues("k", cache.k, k);
    require_continues("v", cache.v, v);
    require_shape("append", "v", v, {k.size(0), k.size(1), k.size(2), v.size(3)});
    return {joined(cache.k, to_int8(k, row_scales(k))), joined(cache.v, to_int8(v, row_scales(v)))};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    // q (B, H, T, d), cache of (B, H, P, d) and (B, H, P, d_v) -> (B, H, T, d_v)
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    require_four_axes("int8_attention", "q", q);
    require_shape("int8_attention", "k", k, {q.size(0), q.size(1), k.size(2), q.size(3)});
    require_shape("int8_attention", "v", v, {q.size(0), q.size(1), k.size(2), v.size(3)});
    return given::scaled_dot_product_context(q, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    // bytes of keys and values
    if (std::min({B, H, S, d, d_v}) < 1) refuse("cache_bytes", "every size must be at least 1");
    const Index rows = B * H * S, numbers = rows * (d + d_v);
    switch (kept) {
        case Kept::as_float:
            return 4 * numbers;
        case Kept::as_half:
            return 2 * numbers;
        case Kept::as_int8:
            return numbers + 4 * 2 * rows;  // a float for each row of keys, and one for each of values
    }
    refuse("cache_bytes", "keys and values are kept as float, half or int8");
}

}  // namespace headway::ex12
