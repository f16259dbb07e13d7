#include "small_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

/// A binary format with `fraction` stored fraction bits, whose least number is 2^least and whose numbers end below
/// 2^end.
template <int fraction, int least, int end>
struct Binary {
    static float nearest(float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        const int field = static_cast<int>((bits >> 23) & 0xffU);
        if (field == 255) return x;
        // |x| = significand · 2^exponent
        const std::uint32_t significand = (bits & 0x7fffffU) | (field == 0 ? 0U : 0x800000U);
        const int exponent = (field == 0 ? 1 : field) - 150;
        const int dropped = std::max(23 - fraction, least - exponent);
        if (dropped > 25) return std::copysign(0.0F, x);
        std::uint32_t kept = significand >> dropped;
        const std::uint32_t rest = significand & ((1U << dropped) - 1U);
        const std::uint32_t middle = 1U << (dropped - 1);
        if (rest > middle) ++kept;
        if (rest == middle) kept += kept & 1U;
        const double result = std::ldexp(static_cast<double>(kept), exponent + dropped);
        if (result >= std::ldexp(1.0, end)) return std::copysign(std::numeric_limits<float>::infinity(), x);
        return std::copysign(static_cast<float>(result), x);
    }
};

using Half = Binary<10, -24, 16>;
using Bfloat16 = Binary<7, -133, 128>;

using Rounding = float (*)(float);

Rounding rounding_to(Format format) {
    switch (format) {
        case Format::half:
            return &Half::nearest;
        case Format::bfloat16:
            return &Bfloat16::nearest;
    }
    throw std::invalid_argument("no such format");
}

/// Goes through the rows of a tensor of any strides: one[i * stride] is number i of the row.
struct Row {
    const float* one;
    Index stride;
    Index size;
    float operator[](Index i) const { return one[i * stride]; }
};

class Rows {
public:
    explicit Rows(const Tensor& x) : x_(x), counter_(x.shape().size(), 0) {}

    bool done() const { return done_; }
    Row row() const {
        const float* start = x_.data();
        for (std::size_t axis = 0; axis + 1 < counter_.size(); ++axis) start += counter_[axis] * x_.strides()[axis];
        return {start, x_.strides().back(), x_.shape().back()};
    }
    void next() {
        for (std::size_t axis = counter_.size() - 1; axis-- > 0;) {
            if (++counter_[axis] < x_.shape()[axis]) return;
            counter_[axis] = 0;
        }
        done_ = true;
    }

private:
    const Tensor& x_;
    std::vector<Index> counter_;
    bool done_ = false;
};

void fits(bool yes) {
    if (!yes) throw std::invalid_argument("small_numbers: these shapes do not fit each other");
}

bool has_four(const Tensor& x) { return x.rank() == 4; }

bool same(const Shape& a, const Shape& b, std::initializer_list<std::size_t> axes) {
    for (const std::size_t axis : axes)
        if (a.at(axis) != b.at(axis)) return false;
    return true;
}

bool complete(const Int8Rows& rows) {
    if (rows.shape.size() != 4 || rows.scales.rank() != 3 || !same(rows.shape, rows.scales.shape(), {0, 1, 2}))
        return false;
    return static_cast<Index>(rows.codes.size()) == rows.scales.numel() * rows.shape[3];
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Rounding round = rounding_to(format);
    if (x.rank() == 0) return Tensor::full({}, round(*x.data()));
    Tensor result = Tensor::empty(x.shape());
    float* to = result.data();
    for (Rows rows(x); !rows.done(); rows.next()) {
        const Row row = rows.row();
        for (Index i = 0; i < row.size; ++i) *to++ = round(row[i]);
    }
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    fits(x.rank() > 0);
    const Rounding round = rounding_to(format);
    Shape shape(x.shape().begin(), x.shape().end() - 1);
    shape.push_back(1);
    Tensor result = Tensor::empty(shape);
    float* to = result.data();
    for (Rows rows(x); !rows.done(); rows.next()) {
        const Row row = rows.row();
        float total = 0;
        for (Index i = 0; i < row.size; ++i) total = round(total + row[i]);
        *to++ = total;
    }
    return result;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    fits(scores.rank() > 0);
    const Rounding r = rounding_to(Format::half);
    Tensor weights = Tensor::zeros(scores.shape());
    float* out = weights.data();
    for (Rows rows(scores); !rows.done(); rows.next()) {
        const Row row = rows.row();
        float top = r(row[0]);
        for (Index i = 1; i < row.size; ++i) top = std::fmax(top, r(row[i]));
        if (top > -std::numeric_limits<float>::infinity()) {
            float sum = 0;
            for (Index i = 0; i < row.size; ++i) {
                const float shifted = r(r(row[i]) - top);
                out[i] = r(std::exp(shifted));
                const float next = sum + out[i];
                sum = total == Total::in_half ? r(next) : next;
            }
            for (Index i = 0; i < row.size; ++i) out[i] = r(out[i] / sum);
        }
        out += row.size;
    }
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    fits(has_four(q) && has_four(k) && has_four(v));
    fits(same(q.shape(), k.shape(), {0, 1, 3}) && same(k.shape(), v.shape(), {0, 1, 2}));
    const Rounding r = rounding_to(Format::half);
    const Tensor keys = rounded(k, Format::half);
    const Tensor values = rounded(v, Format::half);
    Tensor scores = matmul(q, keys.transpose(-1, -2)).contiguous();
    const double root = std::sqrt(static_cast<double>(q.size(-1)));
    for (Index i = 0; i < scores.numel(); ++i) scores.data()[i] = r(static_cast<float>(scores.data()[i] / root));
    scores = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    Tensor context = matmul(softmax_in_half(scores, Total::in_float), values).contiguous();
    for (Index i = 0; i < context.numel(); ++i) context.data()[i] = r(context.data()[i]);
    return context;
}

Tensor row_scales(const Tensor& x) {
    fits(has_four(x));
    Tensor scales = Tensor::empty({x.size(0), x.size(1), x.size(2)});
    float* to = scales.data();
    for (Rows rows(x); !rows.done(); rows.next()) {
        const Row row = rows.row();
        double most = 0;
        for (Index i = 0; i < row.size; ++i)
            if (std::fabs(row[i]) > most) most = std::fabs(row[i]);
        *to++ = static_cast<float>(most / 127);
    }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    fits(has_four(x) && scales.rank() == 3 && same(x.shape(), scales.shape(), {0, 1, 2}));
    Int8Rows result;
    result.shape = x.shape();
    result.scales = scales.contiguous().clone();
    const float* scale = result.scales.data();
    for (Rows rows(x); !rows.done(); rows.next(), ++scale) {
        if (*scale < 0) throw std::invalid_argument("to_int8: a scale must not be negative");
        const Row row = rows.row();
        for (Index i = 0; i < row.size; ++i) {
            int code = 0;
            if (*scale != 0) {
                const double ratio = static_cast<double>(row[i]) / *scale;
                code = static_cast<int>(std::trunc(ratio + std::copysign(0.5, ratio)));
            }
            result.codes.push_back(static_cast<std::int8_t>(code));
        }
    }
    return result;
}

Tensor from_int8(const Int8Rows& rows) {
    fits(complete(rows));
    Tensor x = Tensor::empty(rows.shape);
    const std::int8_t* code = rows.codes.data();
    float* to = x.data();
    for (Index b = 0; b < rows.shape[0]; ++b)
        for (Index h = 0; h < rows.shape[1]; ++h)
            for (Index p = 0; p < rows.shape[2]; ++p) {
                const float scale = rows.scales(b, h, p);
                for (Index i = 0; i < rows.shape[3]; ++i) *to++ = static_cast<float>(*code++) * scale;
            }
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    fits(has_four(k) && has_four(v) && same(k.shape(), v.shape(), {0, 1, 2}));
    const auto extend = [](const Int8Rows& old, const Tensor& x) {
        Int8Rows fresh = to_int8(x, row_scales(x));
        fits(complete(old) && same(old.shape, fresh.shape, {0, 1, 3}));
        const Index P = old.shape[2], n = fresh.shape[2], width = fresh.shape[3];
        Int8Rows all;
        all.shape = {fresh.shape[0], fresh.shape[1], P + n, width};
        all.codes.resize(old.codes.size() + fresh.codes.size());
        auto to = all.codes.begin();
        for (Index head = 0; head < fresh.shape[0] * fresh.shape[1]; ++head) {
            to = std::copy_n(old.codes.begin() + head * P * width, P * width, to);
            to = std::copy_n(fresh.codes.begin() + head * n * width, n * width, to);
        }
        all.scales = Tensor::zeros({fresh.shape[0], fresh.shape[1], P + n});
        all.scales.slice(2, 0, P).copy_from(old.scales);
        all.scales.slice(2, P, P + n).copy_from(fresh.scales);
        return all;
    };
    const bool first = cache.k.shape.empty() && cache.v.shape.empty();
    if (first) return {to_int8(k, row_scales(k)), to_int8(v, row_scales(v))};
    fits(complete(cache.k) && complete(cache.v) && cache.k.shape[2] == cache.v.shape[2]);
    return {extend(cache.k, k), extend(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    fits(has_four(q) && complete(cache.k) && complete(cache.v));
    const Shape& ks = cache.k.shape;
    const Shape& vs = cache.v.shape;
    fits(same(q.shape(), ks, {0, 1, 3}) && same(ks, vs, {0, 1, 2}));
    const Index H = q.size(1), T = q.size(2), P = ks[2], d = ks[3], width = vs[3];
    const Mask blocked = mask.defined() ? mask.expand({q.size(0), H, T, P}) : mask;
    Tensor context = Tensor::zeros({q.size(0), H, T, width});
    const float factor = 1.0F / std::sqrt(static_cast<float>(d));
    // One pass over the cache for each query, with a running maximum; the codes never become a tensor.
    std::vector<float> gathered(static_cast<std::size_t>(width));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                float largest = -std::numeric_limits<float>::infinity();
                float total = 0;
                std::fill(gathered.begin(), gathered.end(), 0.0F);
                for (Index p = 0; p < P; ++p) {
                    if (blocked.defined() && blocked(b, h, t, p)) continue;
                    const Index row = (b * H + h) * P + p;
                    const std::int8_t* key = cache.k.codes.data() + row * d;
                    const std::int8_t* value = cache.v.codes.data() + row * width;
                    float score = 0;
                    for (Index i = 0; i < d; ++i) score += q(b, h, t, i) * static_cast<float>(key[i]);
                    score *= factor * cache.k.scales(b, h, p);
                    if (score > largest) {
                        const float shrink = std::exp(largest - score);
                        total *= shrink;
                        for (float& number : gathered) number *= shrink;
                        largest = score;
                    }
                    const float weight = std::exp(score - largest);
                    total += weight;
                    for (Index i = 0; i < width; ++i)
                        gathered[static_cast<std::size_t>(i)] +=
                            weight * cache.v.scales(b, h, p) * static_cast<float>(value[i]);
                }
                if (total == 0) continue;
                for (Index i = 0; i < width; ++i) context(b, h, t, i) = gathered[static_cast<std::size_t>(i)] / total;
            }
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    if (B < 1 || H < 1 || S < 1 || d < 1 || d_v < 1) throw std::invalid_argument("cache_bytes: a size below 1");
    Index bytes_of_key = 0, bytes_of_value = 0;
    switch (kept) {
        case Kept::as_float:
            bytes_of_key = 4 * d, bytes_of_value = 4 * d_v;
            break;
        case Kept::as_half:
            bytes_of_key = 2 * d, bytes_of_value = 2 * d_v;
            break;
        case Kept::as_int8:
            bytes_of_key = d + 4, bytes_of_value = d_v + 4;
            break;
    }
    return (bytes_of_key + bytes_of_value) * B * H * S;
}

}  // namespace headway::ex12
