#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace headway::ex12 {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

void require(bool holds, const std::string& complaint) {
    if (!holds) throw std::invalid_argument(complaint);
}

float round_one(float x, Format format) {
    if (x == 0 || !std::isfinite(x)) return x;
    const bool half = format == Format::half;
    const int bits = half ? 10 : 7, least = -14;
    const double largest = half ? 65504.0 : std::ldexp(2 - std::ldexp(1.0, -7), 127);
    const double step = std::ldexp(1.0, std::max(std::ilogb(x), least) - bits);
    const double y = std::nearbyint(static_cast<double>(x) / step) * step;
    if (std::abs(y) > largest) return std::copysign(infinity, x);
    return static_cast<float>(y);
}

void require_sizes(const Shape& shape) {
    for (const Index size : shape) require(size >= 1, "a size is below 1");
}

/// Row-major, in memory of its own.
Tensor in_order(const Tensor& x) { return x.contiguous().clone(); }

void require_attention(const Tensor& q, const Shape& k, const Shape& v) {
    require(q.rank() == 4 && k.size() == 4 && v.size() == 4, "q, k and v have four axes");
    require_sizes(q.shape());
    require_sizes(k);
    require_sizes(v);
    require(k == Shape{q.size(0), q.size(1), k[2], q.size(3)}, "k does not fit q");
    require(v == Shape{q.size(0), q.size(1), k[2], v[3]}, "v does not fit k");
}

Int8Rows quantized(const Tensor& x) { return to_int8(x, row_scales(x)); }

Int8Rows joined(const Int8Rows& old, const Int8Rows& fresh) {
    const Index heads = fresh.shape[0] * fresh.shape[1], width = fresh.shape[3];
    const Index before = old.shape[2] * width, after = fresh.shape[2] * width;
    Int8Rows rows;
    rows.shape = fresh.shape;
    rows.shape[2] += old.shape[2];
    for (Index head = 0; head < heads; ++head) {
        rows.codes.insert(rows.codes.end(), old.codes.begin() + head * before, old.codes.begin() + (head + 1) * before);
        rows.codes.insert(rows.codes.end(), fresh.codes.begin() + head * after,
                          fresh.codes.begin() + (head + 1) * after);
    }
    rows.scales = cat({old.scales, fresh.scales}, 2);
    return rows;
}

void require_rows(const Int8Rows& rows) {
    require(rows.shape.size() == 4, "rows have four axes");
    require_sizes(rows.shape);
    const Shape& s = rows.shape;
    require(static_cast<Index>(rows.codes.size()) == s[0] * s[1] * s[2] * s[3], "the codes do not fill the shape");
    require(rows.scales.shape() == Shape{s[0], s[1], s[2]}, "the scales do not fit the shape");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = in_order(x);
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = round_one(y.data()[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    require(x.rank() >= 1, "there is no axis to sum along");
    const Tensor in = x.contiguous();
    const Index n = x.size(-1);
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor out = Tensor::zeros(shape);
    for (Index row = 0; row < out.numel(); ++row) {
        float total = 0;
        for (Index i = 0; i < n; ++i) total = round_one(total + in.data()[row * n + i], format);
        out.data()[row] = total;
    }
    return out;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    require(scores.rank() >= 1, "there is no axis of keys");
    const Tensor s = rounded(scores, Format::half);
    Tensor largest = max(s, -1, KeepAxis::yes);
    for (Index i = 0; i < largest.numel(); ++i)
        if (largest.data()[i] == -infinity) largest.data()[i] = 0;
    const Tensor e = rounded(exp(rounded(s - largest, Format::half)), Format::half);
    Tensor sums = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    for (Index i = 0; i < sums.numel(); ++i)
        if (sums.data()[i] == 0) sums.data()[i] = 1;
    return rounded(e / sums, Format::half);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    require_attention(q, k.shape(), v.shape());
    const Tensor q_half = rounded(q, Format::half), k_half = rounded(k, Format::half),
                 v_half = rounded(v, Format::half);
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    const Tensor scores = rounded(matmul(q_half, k_half.transpose(-2, -1)) / root, Format::half);
    const Tensor weights = softmax_in_half(masked_fill(scores, mask, -infinity), Total::in_float);
    return rounded(matmul(weights, v_half), Format::half);
}

Tensor row_scales(const Tensor& x) {
    require(x.rank() == 4, "rows have four axes");
    require_sizes(x.shape());
    const Tensor in = x.contiguous();
    const Index width = x.size(3);
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index row = 0; row < scales.numel(); ++row) {
        float largest = 0;
        for (Index i = 0; i < width; ++i) largest = std::max(largest, std::abs(in.data()[row * width + i]));
        scales.data()[row] = largest / 127;
    }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    require(x.rank() == 4, "rows have four axes");
    require_sizes(x.shape());
    require(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "there must be a scale for each row");
    const Tensor in = x.contiguous();
    Int8Rows rows{x.shape(), std::vector<std::int8_t>(static_cast<std::size_t>(x.numel())), in_order(scales)};
    const Index width = x.size(3);
    for (Index row = 0; row < rows.scales.numel(); ++row) {
        const float scale = rows.scales.data()[row];
        require(scale >= 0, "a scale is negative");
        if (scale == 0) continue;
        for (Index i = row * width; i < (row + 1) * width; ++i) {
            const float code = std::clamp(std::nearbyint(in.data()[i] / scale), -127.0F, 127.0F);
            rows.codes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(code);
        }
    }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    require_rows(rows);
    const Tensor scales = rows.scales.contiguous();
    const Index width = rows.shape[3];
    Tensor x = Tensor::empty(rows.shape);
    for (Index i = 0; i < x.numel(); ++i)
        x.data()[i] = static_cast<float>(rows.codes[static_cast<std::size_t>(i)]) * scales.data()[i / width];
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    require(k.rank() == 4 && v.rank() == 4, "keys and values have four axes");
    require_sizes(k.shape());
    require_sizes(v.shape());
    require(v.shape() == Shape{k.size(0), k.size(1), k.size(2), v.size(3)}, "v does not fit k");
    const Int8Rows fresh_k = quantized(k), fresh_v = quantized(v);
    if (cache.k.shape.empty() && cache.v.shape.empty()) return {fresh_k, fresh_v};
    require_rows(cache.k);
    require_rows(cache.v);
    const Index P = cache.k.shape[2];
    require(cache.k.shape == Shape{k.size(0), k.size(1), P, k.size(3)}, "k does not fit the cache");
    require(cache.v.shape == Shape{v.size(0), v.size(1), P, v.size(3)}, "v does not fit the cache");
    return {joined(cache.k, fresh_k), joined(cache.v, fresh_v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    require_attention(q, cache.k.shape, cache.v.shape);
    const Index P = cache.k.shape[2];
    // Were the mask wider than the scores, it would broadcast them.
    const Shape scores{q.size(0), q.size(1), q.size(2), P};
    if (mask.defined()) require(broadcast_shapes(mask.shape(), scores, "int8_attention") == scores, "mask too large");
    return given::scaled_dot_product_context(q, from_int8(cache.k), from_int8(cache.v), mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    require_sizes({B, H, S, d, d_v});
    const Index rows = B * H * S, numbers = rows * (d + d_v);
    if (kept == Kept::as_float) return numbers * 4;
    if (kept == Kept::as_half) return numbers * 2;
    return numbers + 2 * rows * 4;
}

}  // namespace headway::ex12
