#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

void need(bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
}

float round_one(float x, Format format) {
    if (x == 0 || !std::isfinite(x)) return x;
    const int bits = format == Format::half ? 10 : 7;
    const int least = format == Format::half ? -14 : -126;
    const int exponent = std::max(std::ilogb(x), least);
    const double step = std::ldexp(1.0, exponent - bits);
    const double y = std::nearbyint(x / step) * step;
    const double largest = format == Format::half ? 65504.0 : std::ldexp(2.0 - std::ldexp(1.0, -7), 127);
    if (std::fabs(y) > largest) return std::copysign(std::numeric_limits<float>::infinity(), x);
    return static_cast<float>(y);
}

Tensor fresh_copy(const Tensor& x) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    return y;
}

void check_rows(const Int8Rows& rows) {
    need(rows.shape.size() == 4, "rows: rank");
    Index count = 1;
    for (const Index size : rows.shape) {
        need(size >= 1, "rows: size");
        count *= size;
    }
    need(static_cast<Index>(rows.codes.size()) == count, "rows: codes do not fill the shape");
    need(rows.scales.defined() && rows.scales.shape() == Shape{rows.shape[0], rows.shape[1], rows.shape[2]},
         "rows: scales");
}

Int8Rows join(const Int8Rows& old, const Int8Rows& fresh) {
    const Index heads = old.shape[0] * old.shape[1], width = old.shape[3];
    const Index before = old.shape[2] * width, more = fresh.shape[2] * width;
    Int8Rows result{{old.shape[0], old.shape[1], old.shape[2] + fresh.shape[2], width}, {}, {}};
    for (Index head = 0; head < heads; ++head) {
        result.codes.insert(result.codes.end(), old.codes.begin() + head * before,
                            old.codes.begin() + (head + 1) * before);
        result.codes.insert(result.codes.end(), fresh.codes.begin() + head * more,
                            fresh.codes.begin() + (head + 1) * more);
    }
    result.scales = cat({old.scales, fresh.scales}, 2);
    return result;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = fresh_copy(x);
    float* data = y.data();
    for (Index i = 0; i < y.numel(); ++i) data[i] = round_one(data[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    need(x.rank() >= 1, "sum_in: no axis");
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor total = Tensor::zeros(shape);
    for (Index i = 0; i < x.size(-1); ++i) total = rounded(total + x.slice(-1, i, i + 1), format);
    return total;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    need(scores.rank() >= 1, "softmax_in_half: no axis");
    const Tensor s = rounded(scores, Format::half);
    Tensor most = fresh_copy(max(s, -1, KeepAxis::yes));
    for (Index i = 0; i < most.numel(); ++i)
        if (std::isinf(most.data()[i])) most.data()[i] = 0;
    const Tensor e = rounded(exp(rounded(s - most, Format::half)), Format::half);
    Tensor sums = fresh_copy(total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes));
    for (Index i = 0; i < sums.numel(); ++i)
        if (sums.data()[i] == 0) sums.data()[i] = 1;
    return rounded(e / sums, Format::half);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    need(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention_in_half: rank");
    need(q.numel() > 0 && k.numel() > 0 && v.numel() > 0, "attention_in_half: sizes");
    need(k.size(3) == q.size(3), "attention_in_half: k");
    need(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "attention_in_half: v");
    const auto r = [](const Tensor& x) { return rounded(x, Format::half); };
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    const Tensor scores = r(matmul(r(q), r(k).transpose(-2, -1)) / root);
    const Tensor masked = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    const Tensor weights = softmax_in_half(masked, Total::in_float);
    return r(matmul(weights, r(v)));
}

Tensor row_scales(const Tensor& x) {
    need(x.rank() == 4 && x.numel() > 0, "row_scales: shape");
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                float most = 0;
                for (Index i = 0; i < x.size(3); ++i) most = std::max(most, std::fabs(x(b, h, p, i)));
                scales(b, h, p) = most / 127.0F;
            }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    need(x.rank() == 4 && x.numel() > 0, "to_int8: shape");
    need(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "to_int8: scales");
    Int8Rows rows{x.shape(), {}, fresh_copy(scales)};
    rows.codes.reserve(static_cast<std::size_t>(x.numel()));
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                const float scale = scales(b, h, p);
                need(scale >= 0, "to_int8: a negative scale");
                for (Index i = 0; i < x.size(3); ++i) {
                    float code = 0;
                    if (scale > 0) code = std::clamp(std::nearbyint(x(b, h, p, i) / scale), -127.0F, 127.0F);
                    rows.codes.push_back(static_cast<std::int8_t>(code));
                }
            }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    check_rows(rows);
    Tensor x = Tensor::empty(rows.shape);
    for (Index i = 0; i < x.numel(); ++i) x.data()[i] = rows.codes[static_cast<std::size_t>(i)];
    const Shape with_axis{rows.shape[0], rows.shape[1], rows.shape[2], 1};
    return x * rows.scales.contiguous().view(with_axis);
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    need(k.rank() == 4 && v.rank() == 4 && k.numel() > 0 && v.numel() > 0, "append: shape");
    need(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "append: k and v");
    const Int8Rows keys = to_int8(k, row_scales(k)), values = to_int8(v, row_scales(v));
    if (cache.k.shape.empty() && cache.v.shape.empty()) return {keys, values};
    check_rows(cache.k);
    check_rows(cache.v);
    for (const std::size_t axis : {0, 1, 3}) {
        need(cache.k.shape[axis] == keys.shape[axis], "append: k does not fit the cache");
        need(cache.v.shape[axis] == values.shape[axis], "append: v does not fit the cache");
    }
    need(cache.k.shape[2] == cache.v.shape[2], "append: the cache does not fit itself");
    return {join(cache.k, keys), join(cache.v, values)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    need(q.rank() == 4 && q.numel() > 0, "int8_attention: q");
    need(q.size(0) == k.size(0) && q.size(1) == k.size(1) && q.size(3) == k.size(3), "int8_attention: q and k");
    need(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "int8_attention: v and k");
    const Tensor scaled = q / std::sqrt(static_cast<float>(q.size(3)));
    return given::scaled_dot_product_context(scaled, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    need(B >= 1 && H >= 1 && S >= 1 && d >= 1 && d_v >= 1, "cache_bytes: sizes");
    const Index rows = B * H * S;
    if (kept == Kept::as_float) return rows * (d + d_v) * 4;
    if (kept == Kept::as_half) return rows * (d + d_v) * 2;
    return rows * (d + 4) + rows * (d_v + 4);
}

}  // namespace headway::ex12
