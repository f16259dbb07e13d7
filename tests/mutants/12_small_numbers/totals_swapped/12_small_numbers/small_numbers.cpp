#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

// Rounding by adding and taking away a large number; every tensor as a matrix of rows.
namespace headway::ex12 {
namespace {

constexpr float kBlocked = -std::numeric_limits<float>::infinity();

struct Properties {
    int fraction_bits;
    int lowest_exponent;  // of a number with all its fraction bits
    double first_infinite;
};

constexpr Properties kHalf{10, -14, 65520.0};
constexpr Properties kBfloat16{7, -126, 0x1.ffp127};

float round_to(const Properties& format, float x) {
    if (!std::isfinite(x) || x == 0.0F) return x;
    const double a = std::fabs(x);
    if (a >= format.first_infinite) return std::copysign(std::numeric_limits<float>::infinity(), x);
    const int exponent = std::max(std::ilogb(a), format.lowest_exponent);
    // doubles around `big` lie as far apart as the numbers of the format around x: the sum rounds, half to even
    const double big = std::ldexp(1.5, 52 + exponent - format.fraction_bits);
    const volatile double sum = a + big;
    return std::copysign(static_cast<float>(sum - big), x);
}

float as_half(float x) { return round_to(kHalf, x); }

const Properties& properties(Format format) {
    if (format == Format::bfloat16) return kBfloat16;
    return kHalf;
}

/// All rows below each other, without gaps.
Tensor as_rows(const Tensor& x) { return x.contiguous().view({-1, x.shape().back()}); }

void demand(bool holds, const std::string& what) {
    if (!holds) throw std::invalid_argument("exercise 12: " + what);
}

Shape without_last(Shape shape) {
    shape.pop_back();
    return shape;
}

Index count(const Shape& shape) {
    Index n = 1;
    for (const Index size : shape) n *= size;
    return n;
}

bool is_whole(const Int8Rows& rows) {
    return rows.shape.size() == 4 && rows.scales.defined() && rows.scales.shape() == without_last(rows.shape) &&
           count(rows.shape) == static_cast<Index>(rows.codes.size());
}

void demand_qkv(const Shape& q, const Shape& k, const Shape& v) {
    demand(q.size() == 4, "q must be (B, H, T, d)");
    demand(k.size() == 4, "k must be (B, H, S, d)");
    demand(v.size() == 4, "v must be (B, H, S, d_v)");
    demand(k == Shape{q[0], q[1], k[2], q[3]}, "k does not fit q");
    demand(v == Shape{q[0], q[1], k[2], v[3]}, "v does not fit k");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Properties& target = properties(format);
    Tensor y = Tensor::zeros(x.shape());
    y.copy_from(x);
    float* number = y.data();
    for (Index left = y.numel(); left > 0; --left, ++number) *number = round_to(target, *number);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    demand(x.rank() > 0, "sum_in needs an axis");
    const Properties& target = properties(format);
    const Tensor rows = as_rows(x);
    Tensor totals = Tensor::zeros({rows.size(0)});
    for (Index i = 0; i < rows.size(1); ++i)
        for (Index row = 0; row < rows.size(0); ++row) totals(row) = round_to(target, totals(row) + rows(row, i));
    Shape shape = x.shape();
    shape.back() = 1;
    return totals.view(shape);
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    demand(scores.rank() > 0, "softmax_in_half needs an axis");
    const Tensor s = as_rows(rounded(scores, Format::half));
    Tensor weights = Tensor::zeros(s.shape());
    const Tensor most = max(s, 1);
    for (Index row = 0; row < s.size(0); ++row) {
        if (most(row) == kBlocked) continue;
        for (Index i = 0; i < s.size(1); ++i)
            weights(row, i) =
                as_half(static_cast<float>(std::exp(static_cast<double>(as_half(s(row, i) - most(row))))));
    }
    Tensor sums = total == Total::in_half ? sum(weights, 1, KeepAxis::yes) : sum_in(weights, Format::half);
    for (Index row = 0; row < s.size(0); ++row)
        for (Index i = 0; i < s.size(1); ++i)
            if (sums(row, 0) > 0) weights(row, i) = as_half(weights(row, i) / sums(row, 0));
    return weights.view(scores.shape());
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    demand_qkv(q.shape(), k.shape(), v.shape());
    // the powers of two in √d could go anywhere; the division is after the sum all the same
    Tensor scores = matmul(rounded(q, Format::half), rounded(k.transpose(2, 3), Format::half));
    scores /= std::sqrt(static_cast<float>(k.size(3)));
    scores = masked_fill(rounded(scores, Format::half), mask, kBlocked);
    return rounded(matmul(softmax_in_half(scores, Total::in_float), rounded(v, Format::half)), Format::half);
}

Tensor row_scales(const Tensor& x) {
    demand(x.rank() == 4, "row_scales needs (B, H, P, width)");
    const Tensor rows = as_rows(x);
    Tensor scales = Tensor::zeros({rows.size(0)});
    for (Index row = 0; row < rows.size(0); ++row)
        for (Index i = 0; i < rows.size(1); ++i) scales(row) = std::fmax(scales(row), std::fabs(rows(row, i)));
    scales /= 127.0F;
    return scales.view(without_last(x.shape()));
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    demand(x.rank() == 4, "to_int8 needs (B, H, P, width)");
    demand(scales.defined() && scales.shape() == without_last(x.shape()), "to_int8 needs a scale for each row");
    Int8Rows result;
    result.shape = x.shape();
    result.codes.resize(static_cast<std::size_t>(x.numel()));
    result.scales = scales;
    const Tensor rows = as_rows(x);
    const Tensor flat = scales.contiguous().view({-1});
    auto code = result.codes.begin();
    for (Index row = 0; row < rows.size(0); ++row) {
        demand(!(flat(row) < 0), "to_int8: a scale below 0");
        const double inverse = flat(row) == 0 ? 0.0 : 1.0 / flat(row);
        for (Index i = 0; i < rows.size(1); ++i) {
            const double steps = rows(row, i) * inverse;
            if (steps >= 127)
                *code++ = 127;
            else if (steps <= -127)
                *code++ = -127;
            else
                *code++ = static_cast<std::int8_t>(std::round(steps));
        }
    }
    return result;
}

Tensor from_int8(const Int8Rows& rows) {
    demand(is_whole(rows), "from_int8: shape, codes and scales do not fit each other");
    Tensor x = Tensor::zeros(rows.shape);
    std::copy(rows.codes.begin(), rows.codes.end(), x.data());
    Shape column = rows.shape;
    column[3] = 1;
    x *= rows.scales.contiguous().view(column);
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    demand(k.rank() == 4 && v.rank() == 4, "append needs four axes");
    demand(without_last(k.shape()) == without_last(v.shape()), "append needs a value for each key");
    Int8Cache grown{to_int8(k, row_scales(k)), to_int8(v, row_scales(v))};
    if (cache.k.shape.empty() && cache.v.shape.empty()) return grown;
    demand(is_whole(cache.k) && is_whole(cache.v) && cache.k.shape[2] == cache.v.shape[2], "append: a broken cache");
    for (const auto& [old, rows] : {std::pair(&cache.k, &grown.k), std::pair(&cache.v, &grown.v)}) {
        const Shape fresh = rows->shape;
        demand(old->shape == Shape{fresh[0], fresh[1], old->shape[2], fresh[3]}, "append: tokens of another shape");
        const std::size_t before = static_cast<std::size_t>(old->shape[2] * fresh[3]);
        const std::size_t added = static_cast<std::size_t>(fresh[2] * fresh[3]);
        const std::size_t heads = static_cast<std::size_t>(fresh[0] * fresh[1]);
        std::vector<std::int8_t> codes(heads * (before + added));
        for (std::size_t head = 0; head < heads; ++head) {
            auto to = codes.begin() + static_cast<std::ptrdiff_t>(head * (before + added));
            to = std::copy_n(old->codes.begin() + static_cast<std::ptrdiff_t>(head * before), before, to);
            std::copy_n(rows->codes.begin() + static_cast<std::ptrdiff_t>(head * added), added, to);
        }
        rows->codes = std::move(codes);
        rows->shape[2] += old->shape[2];
        Tensor scales = Tensor::zeros({fresh[0], fresh[1], rows->shape[2]});
        scales.slice(2, 0, old->shape[2]).copy_from(old->scales);
        scales.slice(2, old->shape[2], rows->shape[2]).copy_from(rows->scales);
        rows->scales = scales;
    }
    return grown;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    demand(is_whole(cache.k) && is_whole(cache.v), "int8_attention: no cache, or a broken one");
    demand_qkv(q.shape(), cache.k.shape, cache.v.shape);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = cache.k.shape[2];
    // The codes are multiplied as they are; a key's scale is a factor of its score, a value's one of its weight.
    Tensor k = Tensor::zeros(cache.k.shape), v = Tensor::zeros(cache.v.shape);
    std::copy(cache.k.codes.begin(), cache.k.codes.end(), k.data());
    std::copy(cache.v.codes.begin(), cache.v.codes.end(), v.data());
    const Tensor k_scales = cache.k.scales.contiguous().view({B, H, 1, P});
    const Tensor v_scales = cache.v.scales.contiguous().view({B, H, 1, P});
    Tensor scores = matmul(q, k.transpose(2, 3)) * k_scales;
    scores /= std::sqrt(static_cast<float>(q.size(3)));
    scores = masked_fill(scores, mask, kBlocked).contiguous();
    Tensor weights = Tensor::zeros({B, H, T, P});
    for (Index row = 0; row < B * H * T; ++row) {
        const float* in = scores.data() + row * P;
        float* out = weights.data() + row * P;
        const float most = *std::max_element(in, in + P);
        if (most == kBlocked) continue;
        float total = 0;
        for (Index j = 0; j < P; ++j) total += out[j] = std::exp(in[j] - most);
        for (Index j = 0; j < P; ++j) out[j] /= total;
    }
    weights *= v_scales;
    return matmul(weights, v);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    demand(B > 0 && H > 0 && S > 0 && d > 0 && d_v > 0, "cache_bytes: sizes are at least 1");
    const auto bytes = [&](Index width) {
        const Index numbers = count({B, H, S, width});
        if (kept == Kept::as_float) return numbers * 4;
        if (kept == Kept::as_half) return numbers * 2;
        return numbers + count({B, H, S}) * 4;
    };
    return bytes(d) + bytes(d_v);
}

}  // namespace headway::ex12
