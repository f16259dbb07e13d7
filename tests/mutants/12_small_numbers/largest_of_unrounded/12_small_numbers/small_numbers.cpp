#include "small_numbers.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

// No copies of arguments: a recursion over the axes visits the numbers of any view through its strides.

namespace headway::ex12 {
namespace {

template <class Visit>
void visit_from(const Layout& layout, Index axis, Index position, Visit&& visit) {
    if (axis == layout.rank()) {
        visit(position);
        return;
    }
    for (Index i = 0; i < layout.shape[axis]; ++i)
        visit_from(layout, axis + 1, position + i * layout.strides[axis], visit);
}

/// The numbers of x, in row-major order.
template <class Visit>
void each(const Tensor& x, Visit&& visit) {
    visit_from(x.layout(), 0, 0, [&](Index position) { visit(x.data()[position]); });
}

/// The rows of x: where each begins, and the step from number to number.
template <class Visit>
void each_row(const Tensor& x, Visit&& visit) {
    Layout rows = x.layout();
    const Index stride = rows.strides.back();
    rows.shape.pop_back();
    rows.strides.pop_back();
    visit_from(rows, 0, 0, [&](Index position) { visit(x.data() + position, stride); });
}

float to_format(float x, Format format) {
    if (!std::isfinite(x)) return x;
    const double value = x;
    int step_exponent;
    double past_the_end;
    if (format == Format::half) {
        step_exponent = std::abs(value) < std::ldexp(1.0, -14) ? -24 : std::ilogb(value) - 10;
        past_the_end = 65536;
    } else {
        step_exponent = std::abs(value) < std::ldexp(1.0, -126) ? -133 : std::ilogb(value) - 7;
        past_the_end = std::ldexp(1.0, 128);
    }
    // IEEE's remainder is the distance to the nearest multiple; of two, to the even one.
    const double result = value - std::remainder(value, std::ldexp(1.0, step_exponent));
    if (std::abs(result) >= past_the_end) return std::copysign(std::numeric_limits<float>::infinity(), x);
    return std::copysign(static_cast<float>(result), x);
}

float h(float x) { return to_format(x, Format::half); }

bool fits(const Shape& a, const Shape& b, int leading) {
    for (int axis = 0; axis < leading; ++axis)
        if (a[axis] != b[axis]) return false;
    return true;
}

bool whole(const Int8Rows& rows) {
    if (rows.shape.size() != 4) return false;
    std::size_t numbers = 1;
    for (const Index size : rows.shape) {
        if (size < 1) return false;
        numbers *= static_cast<std::size_t>(size);
    }
    return rows.codes.size() == numbers && rows.scales.rank() == 3 && fits(rows.scales.shape(), rows.shape, 3);
}

/// Head (b, h) of a (B, H, n, width) tensor: number (row, i) is data[row * row_stride + i * stride].
struct Head {
    const float* data;
    Index row_stride, stride;
    Head(const Tensor& x, Index b, Index h)
        : data(x.data() + b * x.strides()[0] + h * x.strides()[1]),
          row_stride(x.strides()[2]),
          stride(x.strides()[3]) {}
    float operator()(Index row, Index i) const { return data[row * row_stride + i * stride]; }
};

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = Tensor::empty(x.shape());
    float* to = y.data();
    each(x, [&](float number) { *to++ = to_format(number, format); });
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() < 1) throw std::invalid_argument("sum_in: x has no axis");
    Shape shape = x.shape();
    const Index n = shape.back();
    shape.back() = 1;
    Tensor y = Tensor::empty(shape);
    float* to = y.data();
    each_row(x, [&](const float* row, Index stride) {
        float total = 0;
        for (Index i = 0; i < n; ++i) total = to_format(total + row[i * stride], format);
        *to++ = total;
    });
    return y;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    if (scores.rank() < 1) throw std::invalid_argument("softmax_in_half: scores has no axis");
    const Index S = scores.size(-1);
    Tensor y = Tensor::empty(scores.shape());
    float* to = y.data();
    each_row(scores, [&](const float* row, Index stride) {
        float largest = -std::numeric_limits<float>::infinity();
        for (Index s = 0; s < S; ++s) largest = std::fmax(largest, row[s * stride]);
        if (std::isinf(largest)) largest = 0;
        float sum = 0;
        for (Index s = 0; s < S; ++s) {
            to[s] = h(std::exp(h(h(row[s * stride]) - largest)));
            sum = total == Total::in_half ? h(sum + to[s]) : sum + to[s];
        }
        if (sum != 0)
            for (Index s = 0; s < S; ++s) to[s] = h(to[s] / sum);
        to += S;
    });
    return y;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || !fits(q.shape(), k.shape(), 2) ||
        !fits(k.shape(), v.shape(), 3) || q.size(3) != k.size(3))
        throw std::invalid_argument("attention_in_half: shapes do not fit");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask{};
    Tensor context = Tensor::zeros({B, H, T, d_v});
    Tensor scores = Tensor::empty({S});  // of one query at a time
    for (Index b = 0; b < B; ++b)
        for (Index head = 0; head < H; ++head) {
            const Head queries(q, b, head), keys(k, b, head), values(v, b, head);
            for (Index t = 0; t < T; ++t) {
                for (Index s = 0; s < S; ++s) {
                    float sum = 0;
                    for (Index i = 0; i < d; ++i) sum += h(queries(t, i)) * h(keys(s, i));
                    scores(s) = h(sum / std::sqrt(static_cast<float>(d)));
                    if (blocked.defined() && blocked(b, head, t, s))
                        scores(s) = -std::numeric_limits<float>::infinity();
                }
                const Tensor weights = softmax_in_half(scores, Total::in_float);
                for (Index j = 0; j < d_v; ++j) {
                    float sum = 0;
                    for (Index s = 0; s < S; ++s) sum += weights(s) * h(values(s, j));
                    context(b, head, t, j) = h(sum);
                }
            }
        }
    return context;
}

Tensor row_scales(const Tensor& x) {
    if (x.rank() != 4) throw std::invalid_argument("row_scales: x is not (B, H, P, width)");
    Tensor scales = Tensor::empty({x.size(0), x.size(1), x.size(2)});
    float* to = scales.data();
    each_row(x, [&](const float* row, Index stride) {
        float largest = std::fabs(row[0]);
        for (Index i = 1; i < x.size(3); ++i) largest = std::fmax(largest, std::fabs(row[i * stride]));
        *to++ = largest / 127;
    });
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    if (x.rank() != 4 || scales.rank() != 3 || !fits(x.shape(), scales.shape(), 3))
        throw std::invalid_argument("to_int8: shapes do not fit");
    each(scales, [](float scale) {
        if (scale < 0) throw std::invalid_argument("to_int8: a scale is negative");
    });
    Int8Rows rows{x.shape(), {}, scales};
    const Tensor own = scales.contiguous();
    const float* scale = own.data();
    each_row(x, [&](const float* row, Index stride) {
        for (Index i = 0; i < x.size(3); ++i) {
            const float steps = *scale == 0 ? 0 : row[i * stride] / *scale;
            rows.codes.push_back(steps >= 127    ? std::int8_t{127}
                                 : steps <= -127 ? std::int8_t{-127}
                                                 : static_cast<std::int8_t>(std::floor(steps + 0.5)));
        }
        ++scale;
    });
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    if (!whole(rows)) throw std::invalid_argument("from_int8: shape, codes and scales do not fit");
    Tensor x = Tensor::empty(rows.shape);
    float* to = x.data();
    const std::int8_t* code = rows.codes.data();
    each(rows.scales, [&](float scale) {
        for (Index i = 0; i < rows.shape[3]; ++i) *to++ = *code++ * scale;
    });
    return x;
}

static Int8Rows extended(const Int8Rows& old, const Tensor& x) {
    Int8Rows all = to_int8(x, row_scales(x));
    if (old.shape.empty()) return all;
    if (!whole(old) || !fits(old.shape, x.shape(), 2) || old.shape[3] != x.size(3))
        throw std::invalid_argument("append: the new tokens do not fit the cache");
    // The old codes of each head go in front of its new ones; from the last head on, so that places stay valid.
    const Index heads = old.shape[0] * old.shape[1];
    const Index old_size = old.shape[2] * old.shape[3], new_size = x.size(2) * x.size(3);
    for (Index head = heads - 1; head >= 0; --head)
        all.codes.insert(all.codes.begin() + head * new_size, old.codes.begin() + head * old_size,
                         old.codes.begin() + (head + 1) * old_size);
    all.scales = cat({old.scales, all.scales}, 2);
    all.shape[2] += old.shape[2];
    return all;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    if (k.rank() != 4 || v.rank() != 4 || !fits(k.shape(), v.shape(), 3))
        throw std::invalid_argument("append: k and v do not fit");
    if (cache.k.shape.size() != cache.v.shape.size()) throw std::invalid_argument("append: no such cache");
    const Int8Cache all{extended(cache.k, k), extended(cache.v, v)};
    if (all.k.shape[2] != all.v.shape[2])
        throw std::invalid_argument("append: keys and values of the cache do not fit");
    return all;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    if (q.rank() != 4 || !whole(cache.k) || !whole(cache.v))
        throw std::invalid_argument("int8_attention: rank 4 is needed");
    if (!fits(q.shape(), cache.k.shape, 2) || !fits(cache.k.shape, cache.v.shape, 3) || q.size(3) != cache.k.shape[3])
        throw std::invalid_argument("int8_attention: shapes do not fit");
    const Mask blocked = mask.defined() ? mask.expand({q.size(0), q.size(1), q.size(2), cache.k.shape[2]}) : mask;
    return given::scaled_dot_product_attention(q, from_int8(cache.k), from_int8(cache.v), blocked).context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    if (B <= 0 || H <= 0 || S <= 0 || d <= 0 || d_v <= 0) throw std::invalid_argument("cache_bytes: a size is below 1");
    const Index rows = B * H * S;
    if (kept == Kept::as_int8) return rows * d + rows * d_v + 2 * rows * static_cast<Index>(sizeof(float));
    return rows * (d + d_v) * (kept == Kept::as_float ? 4 : 2);
}

}  // namespace headway::ex12
