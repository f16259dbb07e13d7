#include "small_numbers.hpp"

#include <headway/eigen.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

// Numbers are really packed into sixteen bits and unpacked again; matrices are Eigen's.
namespace headway::ex12 {
namespace {

std::uint32_t float_bits(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

std::uint16_t pack_half(float x) {
    const std::uint32_t bits = float_bits(x);
    const std::uint32_t sign = (bits >> 16) & 0x8000;
    const float a = std::fabs(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7e00);
    if (a > 65504.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (a < std::ldexp(1.0F, -14))
        return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::lrint(std::ldexp(a, 24))));
    std::uint32_t code = ((bits & 0x7fffffff) >> 13) - (112U << 10);
    const std::uint32_t rest = bits & 0x1fff;
    if (rest > 0x1000 || (rest == 0x1000 && (code & 1) == 1)) ++code;
    return static_cast<std::uint16_t>(sign | code);
}

float unpack_half(std::uint16_t code) {
    const int exponent = (code >> 10) & 31;
    const int fraction = code & 1023;
    float a;
    if (exponent == 31)
        a = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
        a = std::ldexp(static_cast<float>(fraction), -24);
    else
        a = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return (code & 0x8000) != 0 ? -a : a;
}

std::uint16_t pack_bfloat16(float x) {
    const std::uint32_t bits = float_bits(x);
    if (std::isnan(x)) return 0x7fc0;
    std::uint32_t code = bits >> 16;
    const std::uint32_t rest = bits & 0xffff;
    if (rest > 0x8000 || (rest == 0x8000 && (code & 1) == 1)) ++code;  // past the largest: the code of infinity
    return static_cast<std::uint16_t>(code);
}

float unpack_bfloat16(std::uint16_t code) {
    const std::uint32_t bits = static_cast<std::uint32_t>(code) << 16;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

float half(float x) { return unpack_half(pack_half(x)); }

float through(float x, Format format) { return format == Format::half ? half(x) : unpack_bfloat16(pack_bfloat16(x)); }

/// x as a matrix of its rows along the last axis; a copy, so that it may be written.
EigenMatrix matrix_of(const Tensor& x) {
    const Index n = x.size(-1);
    return as_eigen(x.contiguous().view({x.numel() / n, n}));
}

Tensor tensor_of(const EigenMatrix& matrix, const Shape& shape) {
    Tensor x = Tensor::zeros(shape);
    std::copy(matrix.data(), matrix.data() + matrix.size(), x.data());
    return x;
}

void ensure(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

void ensure_attention(const Shape& q, const Shape& k, const Shape& v) {
    ensure(q.size() == 4 && k.size() == 4 && v.size() == 4, "attention: rank 4 is needed");
    for (std::size_t axis : {0, 1}) ensure(q[axis] == k[axis] && k[axis] == v[axis], "attention: B or H differ");
    ensure(q[3] == k[3], "attention: d differs");
    ensure(k[2] == v[2], "attention: S differs");
}

bool blocks(const Mask& mask, Index b, Index h, Index t, Index s) { return mask.defined() && mask(b, h, t, s); }

/// The codes of a row.
const std::int8_t* row_of(const Int8Rows& rows, Index b, Index h, Index p) {
    return rows.codes.data() + ((b * rows.shape[1] + h) * rows.shape[2] + p) * rows.shape[3];
}

void ensure_consistent(const Int8Rows& rows) {
    ensure(rows.shape.size() == 4, "Int8Rows: rank 4 is needed");
    const Shape s = rows.shape;
    ensure(rows.scales.shape() == Shape{s[0], s[1], s[2]}, "Int8Rows: one scale per row");
    ensure(rows.codes.size() == static_cast<std::size_t>(s[0] * s[1] * s[2] * s[3]), "Int8Rows: one code per number");
}

Int8Rows put_after(const Int8Rows& old, const Int8Rows& more) {
    if (old.shape.empty()) return more;
    ensure_consistent(old);
    for (std::size_t axis : {0, 1, 3}) ensure(old.shape[axis] == more.shape[axis], "append: sizes differ");
    Int8Rows all;
    all.shape = more.shape;
    all.shape[2] = old.shape[2] + more.shape[2];
    const Index width = all.shape[3];
    for (Index b = 0; b < all.shape[0]; ++b)
        for (Index h = 0; h < all.shape[1]; ++h)
            for (Index p = 0; p < all.shape[2]; ++p) {
                const std::int8_t* row = p < old.shape[2] ? row_of(old, b, h, p) : row_of(more, b, h, p - old.shape[2]);
                all.codes.insert(all.codes.end(), row, row + width);
            }
    all.scales = cat({old.scales, more.scales}, 2);
    return all;
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = Tensor::zeros(x.shape());
    const Tensor dense = x.contiguous();
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = through(dense.data()[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    ensure(x.rank() >= 1, "sum_in: there is no axis");
    const EigenMatrix numbers = matrix_of(x);
    EigenMatrix total = EigenMatrix::Zero(numbers.rows(), 1);
    for (Index i = 0; i < numbers.cols(); ++i) {
        total += numbers.col(i);
        for (Index row = 0; row < total.rows(); ++row) total(row, 0) = through(total(row, 0), format);
    }
    Shape shape = x.shape();
    shape.back() = 1;
    return tensor_of(total, shape);
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    ensure(scores.rank() >= 1, "softmax_in_half: there is no axis");
    EigenMatrix m = matrix_of(scores).unaryExpr(&half);
    for (Index row = 0; row < m.rows(); ++row) {
        const float largest = m.row(row).maxCoeff();
        if (std::isinf(largest)) {
            m.row(row).setZero();
            continue;
        }
        float sum = 0;
        for (Index i = 0; i < m.cols(); ++i) {
            m(row, i) = half(std::exp(half(m(row, i) - largest)));
            sum += m(row, i);
            if (total == Total::in_half) sum = half(sum);
        }
        for (Index i = 0; i < m.cols(); ++i) m(row, i) = half(m(row, i) / sum);
    }
    return tensor_of(m, scores.shape());
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    ensure_attention(q.shape(), k.shape(), v.shape());
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2);
    const Mask full = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const EigenMatrix Q = matrix_of(q[b][h]).unaryExpr(&half);
            const EigenMatrix K = matrix_of(k[b][h]).unaryExpr(&half);
            const EigenMatrix V = matrix_of(v[b][h]).unaryExpr(&half);
            EigenMatrix scores = Q * K.transpose();
            scores = (scores / root).unaryExpr(&half).eval();
            for (Index t = 0; t < T; ++t)
                for (Index s = 0; s < S; ++s)
                    if (blocks(full, b, h, t, s)) scores(t, s) = -std::numeric_limits<float>::infinity();
            const EigenMatrix weights = matrix_of(softmax_in_half(tensor_of(scores, {T, S}), Total::in_float));
            const EigenMatrix sums = weights * V;
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < sums.cols(); ++i) context(b, h, t, i) = half(sums(t, i));
        }
    return context;
}

Tensor row_scales(const Tensor& x) {
    ensure(x.rank() == 4, "row_scales: rank 4 is needed");
    const EigenMatrix rows = matrix_of(x);
    const EigenMatrix scales = rows.rowwise().maxCoeff() / 127.0F;
    return tensor_of(scales, {x.size(0), x.size(1), x.size(2)});
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    ensure(x.rank() == 4, "to_int8: rank 4 is needed");
    ensure(scales.shape() == Shape{x.size(0), x.size(1), x.size(2)}, "to_int8: one scale per row");
    const EigenMatrix rows = matrix_of(x);
    const Tensor steps = scales.contiguous();
    Int8Rows result{x.shape(), {}, scales.clone()};
    for (Index row = 0; row < rows.rows(); ++row) {
        const float step = steps.data()[row];
        ensure(step >= 0, "to_int8: negative scale");
        for (Index i = 0; i < rows.cols(); ++i) {
            const float limit = 127.0F * step;
            const float number = std::min(limit, std::max(-limit, rows(row, i)));
            result.codes.push_back(step == 0 ? std::int8_t{0} : static_cast<std::int8_t>(std::lrint(number / step)));
        }
    }
    return result;
}

Tensor from_int8(const Int8Rows& rows) {
    ensure_consistent(rows);
    Tensor x = Tensor::zeros(rows.shape);
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p)
                for (Index i = 0; i < x.size(3); ++i)
                    x(b, h, p, i) = static_cast<float>(row_of(rows, b, h, p)[i]) * rows.scales(b, h, p);
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    ensure(k.rank() == 4 && v.rank() == 4, "append: rank 4 is needed");
    for (Index axis : {0, 1, 2}) ensure(k.size(axis) == v.size(axis), "append: k and v differ");
    ensure(cache.k.shape.empty() == cache.v.shape.empty(), "append: keys or values are missing");
    Int8Cache all{put_after(cache.k, to_int8(k, row_scales(k))), put_after(cache.v, to_int8(v, row_scales(v)))};
    ensure(all.k.shape[2] == all.v.shape[2], "append: keys and values differ in number");
    return all;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    ensure_consistent(cache.k);
    ensure_consistent(cache.v);
    ensure_attention(q.shape(), cache.k.shape, cache.v.shape);
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = k.size(2);
    const Mask full = mask.defined() ? mask.expand({B, H, T, P}) : mask;
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h) {
            const EigenMatrix Q = matrix_of(q[b][h]), K = matrix_of(k[b][h]), V = matrix_of(v[b][h]);
            EigenMatrix weights = Q * K.transpose();
            weights /= std::sqrt(static_cast<float>(Q.cols()));
            for (Index t = 0; t < T; ++t) {
                float largest = -std::numeric_limits<float>::infinity();
                for (Index s = 0; s < P; ++s)
                    if (!blocks(full, b, h, t, s)) largest = std::max(largest, weights(t, s));
                for (Index s = 0; s < P; ++s)
                    weights(t, s) = blocks(full, b, h, t, s) ? 0.0F : std::exp(weights(t, s) - largest);
                const float total = weights.row(t).sum();
                if (total > 0) weights.row(t) /= total;
            }
            as_eigen(context[b][h]) = weights * V;
        }
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    ensure(B >= 1, "cache_bytes: B is below 1");
    ensure(H >= 1, "cache_bytes: H is below 1");
    ensure(S >= 1, "cache_bytes: S is below 1");
    ensure(d >= 1 && d_v >= 1, "cache_bytes: a width is below 1");
    Index per_token = 0;
    if (kept == Kept::as_float) per_token = (d + d_v) * static_cast<Index>(sizeof(float));
    if (kept == Kept::as_half) per_token = (d + d_v) * static_cast<Index>(sizeof(std::uint16_t));
    if (kept == Kept::as_int8) per_token = (d + d_v) * 1 + 2 * static_cast<Index>(sizeof(float));
    return B * H * S * per_token;
}

}  // namespace headway::ex12
