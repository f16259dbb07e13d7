#include "small_numbers.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

// frexp and ldexp for the formats, Tensor operations for the rest.
namespace headway::ex12 {
namespace {

struct Bits {
    int fraction;  // fraction bits
    int least;     // the least number is 2^least
    double largest;
};

Bits bits_of(Format format) {
    if (format == Format::half) return {10, -24, 65504.0};
    return {7, -133, std::ldexp(2.0 - std::ldexp(1.0, -7), 127)};
}

double nearest(double x, const Bits& bits) {
    if (x == 0 || !std::isfinite(x)) return x;
    int exponent = 0;
    std::frexp(x, &exponent);  // 2^(exponent - 1) <= |x| < 2^exponent
    int step = exponent - 1 - bits.fraction;
    if (step < bits.least) step = bits.least;
    const double y = std::ldexp(std::nearbyint(std::ldexp(x, -step)), step);
    if (std::abs(y) > bits.largest) return std::copysign(std::numeric_limits<double>::infinity(), x);
    return y;
}

// One axis after the other, whatever the strides.
void round_axis(const float* from, const Strides& from_strides, float* to, const Strides& to_strides,
                const Shape& shape, std::size_t axis, const Bits& bits) {
    if (axis == shape.size()) {
        *to = static_cast<float>(nearest(*from, bits));
        return;
    }
    for (Index i = 0; i < shape[axis]; ++i)
        round_axis(from + i * from_strides[axis], from_strides, to + i * to_strides[axis], to_strides, shape, axis + 1,
                   bits);
}

[[noreturn]] void wrong(const std::string& what) { throw std::invalid_argument(what); }

void must_be_rank_4(const Tensor& x, const char* name) {
    if (x.rank() != 4) wrong(std::string(name) + " must have 4 axes, not shape " + to_string(x.shape()));
}

void must_fit(const Tensor& q, const Tensor& k, const Tensor& v) {
    must_be_rank_4(q, "q");
    must_be_rank_4(k, "k");
    must_be_rank_4(v, "v");
    const Shape wanted_k{q.size(0), q.size(1), k.size(2), q.size(3)};
    const Shape wanted_v{q.size(0), q.size(1), k.size(2), v.size(3)};
    if (k.shape() != wanted_k) wrong("k has shape " + to_string(k.shape()) + ", not " + to_string(wanted_k));
    if (v.shape() != wanted_v) wrong("v has shape " + to_string(v.shape()) + ", not " + to_string(wanted_v));
}

Tensor r(const Tensor& x) { return rounded(x, Format::half); }

Tensor append_rows(const Tensor& old, const Tensor& fresh) { return cat({old, fresh}, 2); }

// The codes themselves as a tensor, to use cat and friends on them.
Tensor codes_as_tensor(const Int8Rows& rows) {
    return Tensor::of(rows.shape, std::vector<float>(rows.codes.begin(), rows.codes.end()));
}

Int8Rows extended(const Int8Rows& old, const Tensor& x) {
    const Int8Rows fresh = to_int8(x, row_scales(x));
    if (old.codes.empty()) return fresh;
    if (old.shape.size() != 4 || old.shape[0] != x.size(0) || old.shape[1] != x.size(1) || old.shape[3] != x.size(3))
        wrong("append: rows of " + to_string(x.shape()) + " do not fit a cache of " + to_string(old.shape));
    const Tensor all = append_rows(from_int8(old), x);
    return to_int8(all, row_scales(all));
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = Tensor::zeros(x.shape());
    round_axis(x.data(), x.strides(), y.data(), y.strides(), x.shape(), 0, bits_of(format));
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() == 0) wrong("sum_in: no axis");
    Tensor total = Tensor::zeros(x.slice(x.rank() - 1, 0, 1).shape());
    for (Index i = 0; i < x.size(-1); ++i) total = rounded(total + x.slice(x.rank() - 1, i, i + 1), format);
    return total;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    if (scores.rank() == 0) wrong("softmax_in_half: no axis");
    const Tensor s = r(scores);
    Tensor top = max(s, -1, KeepAxis::yes).contiguous();
    for (Index i = 0; i < top.numel(); ++i)
        if (std::isinf(top.data()[i])) top.data()[i] = 0;  // nothing to see: e is 0 everywhere
    const Tensor e = r(exp(r(s - top)));
    Tensor sums = total == Total::in_half ? sum_in(e, Format::half) : sum(e, -1, KeepAxis::yes);
    sums = sums.contiguous();
    for (Index i = 0; i < sums.numel(); ++i)
        if (sums.data()[i] == 0) sums.data()[i] = 1;
    return r(e / sums);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    must_fit(q, k, v);
    const Tensor sums = matmul(r(q), r(k).transpose(2, 3));
    const Tensor scores = r(sums / static_cast<float>(q.size(-1)));
    const Tensor weights =
        softmax_in_half(masked_fill(scores, mask, -std::numeric_limits<float>::infinity()), Total::in_float);
    return r(matmul(weights, r(v)));
}

Tensor row_scales(const Tensor& x) {
    must_be_rank_4(x, "x");
    const Tensor above = max(x, -1).contiguous();
    const Tensor below = max(-x, -1).contiguous();
    Tensor scales = Tensor::zeros(above.shape());
    for (Index i = 0; i < scales.numel(); ++i) scales.data()[i] = std::fmax(above.data()[i], below.data()[i]) / 127;
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    must_be_rank_4(x, "x");
    if (scales.rank() != 3 || scales.size(0) != x.size(0) || scales.size(1) != x.size(1) || scales.size(2) != x.size(2))
        wrong("to_int8: scales of shape " + to_string(scales.shape()) + " for rows of " + to_string(x.shape()));
    Int8Rows rows;
    rows.shape = x.shape();
    rows.scales = scales.clone();
    rows.codes.reserve(static_cast<std::size_t>(x.numel()));
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                const float scale = scales(b, h, p);
                if (scale < 0) wrong("to_int8: negative scale");
                for (Index i = 0; i < x.size(3); ++i) {
                    float code = scale == 0 ? 0 : std::nearbyint(x(b, h, p, i) / scale);
                    if (code > 127) code = 127;
                    if (code < -127) code = -127;
                    rows.codes.push_back(static_cast<std::int8_t>(code));
                }
            }
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    if (rows.shape.size() != 4) wrong("from_int8: shape must have 4 axes");
    const Index count = std::accumulate(rows.shape.begin(), rows.shape.end(), Index{1}, std::multiplies<>());
    if (static_cast<Index>(rows.codes.size()) != count) wrong("from_int8: wrong number of codes");
    if (rows.scales.shape() != Shape{rows.shape[0], rows.shape[1], rows.shape[2]}) wrong("from_int8: wrong scales");
    return codes_as_tensor(rows) * rows.scales.contiguous().view({rows.shape[0], rows.shape[1], rows.shape[2], 1});
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    must_be_rank_4(k, "k");
    must_be_rank_4(v, "v");
    for (Index axis = 0; axis < 3; ++axis)
        if (k.size(axis) != v.size(axis)) wrong("append: k and v do not fit each other");
    if (cache.k.codes.empty() != cache.v.codes.empty()) wrong("append: keys without values");
    Int8Cache result;
    result.k = extended(cache.k, k);
    result.v = extended(cache.v, v);
    if (result.k.shape[2] != result.v.shape[2]) wrong("append: more keys than values");
    return result;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k);
    const Tensor v = from_int8(cache.v);
    must_fit(q, k, v);
    return given::scaled_dot_product_attention(q, k, v, mask).context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    for (const Index size : {B, H, S, d, d_v})
        if (size < 1) wrong("cache_bytes: sizes start at 1");
    const Index each = kept == Kept::as_float ? 4 : kept == Kept::as_half ? 2 : 1;
    const Index scale = kept == Kept::as_int8 ? static_cast<Index>(sizeof(float)) : 0;
    return B * H * S * (d * each + scale) + B * H * S * (d_v * each + scale);
}

}  // namespace headway::ex12
