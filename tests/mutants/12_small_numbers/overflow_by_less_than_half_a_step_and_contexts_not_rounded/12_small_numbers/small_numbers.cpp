#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void require(bool good, const char* what) {
    if (!good) throw std::invalid_argument(what);
}

struct Kind {
    int fraction_bits;
    int least_exponent;
    double largest;
};

Kind kind_of(Format format) {
    if (format == Format::half) return {10, -14, 65504.0};
    return {7, -126, std::ldexp(255.0, 120)};
}

float nearest(float x, const Kind& kind) {
    if (x == 0.0F || !std::isfinite(x)) return x;
    const double exact = x;
    const int exponent = std::max(std::ilogb(exact), kind.least_exponent);
    const double step = std::ldexp(1.0, exponent - kind.fraction_bits);
    if (std::abs(exact) > kind.largest) return std::copysign(infinity, x);
    const double y = std::nearbyint(exact / step) * step;
    return static_cast<float>(y);
}

Tensor half(const Tensor& x) { return rounded(x, Format::half); }

/// Each `old` in x becomes `fresh`.
void replace(Tensor& x, float old, float fresh) {
    float* numbers = x.data();
    std::replace(numbers, numbers + x.numel(), old, fresh);
}

std::int8_t code_of(double x, double scale) {
    if (scale == 0.0) return 0;
    const double code = std::clamp(std::nearbyint(x / scale), -127.0, 127.0);
    return static_cast<std::int8_t>(code);
}

void require_whole(const Int8Rows& rows) {
    require(rows.shape.size() == 4, "the shape of rows has four sizes");
    Index count = 1;
    for (const Index size : rows.shape) count *= size;
    require(static_cast<Index>(rows.codes.size()) == count, "the codes do not fill the shape");
    require(rows.scales.shape() == Shape{rows.shape[0], rows.shape[1], rows.shape[2]}, "there is a scale for each row");
}

/// The rows of each head, and then its fresh ones.
Int8Rows joined(const Int8Rows& old, const Int8Rows& fresh) {
    if (old.shape.empty()) return fresh;
    const Index heads = old.shape[0] * old.shape[1];
    const Index some = old.shape[2] * old.shape[3];
    const Index more = fresh.shape[2] * fresh.shape[3];
    Int8Rows all;
    all.shape = old.shape;
    all.shape[2] += fresh.shape[2];
    for (Index head = 0; head < heads; ++head) {
        const auto from = old.codes.begin() + head * some;
        all.codes.insert(all.codes.end(), from, from + some);
        const auto then = fresh.codes.begin() + head * more;
        all.codes.insert(all.codes.end(), then, then + more);
    }
    all.scales = cat({old.scales, fresh.scales}, 2);
    return all;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Kind kind = kind_of(format);
    Tensor result = x.contiguous().clone();
    float* numbers = result.data();
    for (Index i = 0; i < result.numel(); ++i) numbers[i] = nearest(numbers[i], kind);
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    require(x.rank() >= 1, "sum_in: there must be an axis");
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor total = Tensor::zeros(shape);
    for (Index i = 0; i < x.size(-1); ++i) total = rounded(total + x.slice(-1, i, i + 1), format);
    return total;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    require(scores.rank() >= 1, "softmax_in_half: there must be an axis");
    const Tensor s = half(scores);
    Tensor largest = max(s, -1, KeepAxis::yes);
    replace(largest, -infinity, 0.0F);
    const Tensor e = half(exp(half(s - largest)));
    Tensor sums = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    replace(sums, 0.0F, 1.0F);
    return half(e / sums);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "q, k and v have four axes");
    for (const Index axis : {0, 1})
        require(q.size(axis) == k.size(axis) && k.size(axis) == v.size(axis), "B and H must be alike");
    require(q.size(3) == k.size(3), "q and k must be of one width");
    require(k.size(2) == v.size(2), "k and v must be of the same tokens");
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    const Tensor scores = half(matmul(half(q), half(k).transpose(-2, -1)) / root);
    const Tensor weights = softmax_in_half(masked_fill(scores, mask, -infinity), Total::in_float);
    return matmul(weights, half(v));
}

Tensor row_scales(const Tensor& x) {
    require(x.rank() == 4, "row_scales: x is (B, H, P, width)");
    const Tensor largest = max(cat({x, -x}, -1), -1);
    return largest / 127.0F;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    require(x.rank() == 4, "to_int8: x is (B, H, P, width)");
    require(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "to_int8: scales are (B, H, P)");
    const Index width = x.size(3);
    const Tensor numbers = x.contiguous();
    Int8Rows rows{x.shape(), {}, scales.contiguous().clone()};
    const float* scale = static_cast<const Tensor&>(rows.scales).data();
    for (Index i = 0; i < numbers.numel(); ++i) {
        require(!(scale[i / width] < 0.0F), "to_int8: a scale is negative");
        rows.codes.push_back(code_of(numbers.data()[i], scale[i / width]));
    }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    require_whole(rows);
    Tensor codes = Tensor::zeros(rows.shape);
    std::copy(rows.codes.begin(), rows.codes.end(), codes.data());
    const Tensor scales = rows.scales.contiguous();
    return codes * scales.view({rows.shape[0], rows.shape[1], rows.shape[2], 1});
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    require(k.rank() == 4 && v.rank() == 4, "append: k and v have four axes");
    for (const Index axis : {0, 1, 2})
        require(k.size(axis) == v.size(axis), "append: k and v are not of the same rows");
    if (!cache.k.shape.empty()) {
        const Shape& old_k = cache.k.shape;
        const Shape& old_v = cache.v.shape;
        require(k.shape() == Shape{old_k[0], old_k[1], k.size(2), old_k[3]}, "append: k does not fit the cache");
        require(v.shape() == Shape{old_v[0], old_v[1], v.size(2), old_v[3]}, "append: v does not fit the cache");
    }
    return {joined(cache.k, to_int8(k, row_scales(k))), joined(cache.v, to_int8(v, row_scales(v)))};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k);
    const Tensor v = from_int8(cache.v);
    require(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "keys and values do not fit");
    return given::scaled_dot_product_context(q, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    for (const Index size : {B, H, S, d, d_v}) require(size >= 1, "cache_bytes: a size is below 1");
    const Index rows = B * H * S;
    const Index numbers = rows * (d + d_v);
    if (kept == Kept::as_float) return 4 * numbers;
    if (kept == Kept::as_half) return 2 * numbers;
    return numbers + 2 * 4 * rows;
}

}  // namespace headway::ex12
