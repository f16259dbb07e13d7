#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

const float infinity = std::numeric_limits<float>::infinity();

/// Distance of the numbers of the format around a > 0, from the distance of the floats there.
float step_at(float a, Format format) {
    const float ulp = a - std::nextafter(a, 0.0F);  // half of it at a power of two, which needs no rounding anyway
    return format == Format::half ? std::max(ulp * 8192, std::ldexp(1.0F, -24))
                                  : std::max(ulp * 65536, std::ldexp(1.0F, -133));
}

float nearest(float x, Format format) {
    if (std::isnan(x) || std::isinf(x) || x == 0) return x;
    const float a = std::fabs(x);
    const float step = step_at(a, format);
    float steps = std::floor(a / step);
    const float rest = a - steps * step;
    if (rest > step / 2 || (rest == step / 2 && std::fmod(steps, 2.0F) == 1)) steps += 1;
    float y = steps * step;
    if (format == Format::half && y > 65504) y = infinity;
    return std::copysign(y, x);
}

/// Calls f(index) for every index of `shape`, row-major.
template <class F>
void for_each_index(const Shape& shape, F f) {
    std::vector<Index> index(shape.size(), 0);
    for (;;) {
        f(index);
        std::size_t axis = shape.size();
        while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
        if (axis == 0) return;
    }
}

Index place(const std::vector<Index>& index, const Strides& strides) {
    Index sum = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) sum += index[axis] * strides[axis];
    return sum;
}

void expect(bool fits, const char* message) {
    if (!fits) throw std::invalid_argument(message);
}

bool same_but_tokens(const Shape& a, const Shape& b) {
    return a.size() == 4 && b.size() == 4 && a[0] == b[0] && a[1] == b[1] && a[3] == b[3];
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor result = Tensor::empty(x.shape());
    float* to = result.data();
    for_each_index(x.shape(), [&](const std::vector<Index>& index) {
        *to++ = nearest(x.data()[place(index, x.strides())], format);
    });
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    expect(x.rank() > 0, "sum_in needs an axis");
    Shape shape = x.shape();
    const Index n = shape.back();
    shape.back() = 1;
    Tensor result = Tensor::empty(shape);
    float* to = result.data();
    for_each_index(shape, [&](const std::vector<Index>& index) {
        const float* from = x.data() + place(index, x.strides());
        float total = 0;
        for (Index i = 0; i < n; ++i) total = nearest(total + from[i], format);
        *to++ = total;
    });
    return result;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    expect(scores.rank() > 0, "softmax_in_half needs an axis");
    Tensor s = rounded(scores, Format::half);  // row-major
    const Index n = s.size(-1);
    for (float* row = s.data(); row != s.data() + s.numel(); row += n) {
        const float top = *std::max_element(row, row + n);
        if (top == -infinity) {
            std::fill(row, row + n, 0.0F);
            continue;
        }
        for (Index i = 0; i < n; ++i) row[i] = nearest(std::exp(nearest(row[i] - top, Format::half)), Format::half);
        double in_float = 0;
        float in_half = 0;
        for (Index i = 0; i < n; ++i) {
            in_float += row[i];
            in_half = nearest(in_half + row[i], Format::half);
        }
        const float divisor = total == Total::in_half ? in_half : static_cast<float>(in_float);
        for (Index i = 0; i < n; ++i) row[i] = nearest(row[i] / divisor, Format::half);
    }
    return s;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    expect(same_but_tokens(q.shape(), k.shape()), "q and k do not fit");
    expect(v.rank() == 4 && v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2),
           "k and v do not fit");
    const Tensor Q = rounded(q, Format::half), K = rounded(k, Format::half), V = rounded(v, Format::half);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3), d_v = v.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : mask;
    Tensor scores = Tensor::empty({B, H, T, S});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index j = 0; j < S; ++j) {
                    float sum = 0;
                    for (Index i = 0; i < d; ++i) sum += Q(b, h, t, i) * K(b, h, j, i);
                    scores(b, h, t, j) = nearest(sum / std::sqrt(static_cast<float>(d)), Format::half);
                    if (blocked.defined() && blocked(b, h, t, j)) scores(b, h, t, j) = -infinity;
                }
    const Tensor weights = softmax_in_half(scores, Total::in_float);
    Tensor context = Tensor::empty({B, H, T, d_v});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t)
                for (Index i = 0; i < d_v; ++i) {
                    float sum = 0;
                    for (Index j = 0; j < S; ++j) sum += weights(b, h, t, j) * V(b, h, j, i);
                    context(b, h, t, i) = nearest(sum, Format::half);
                }
    return context;
}

Tensor row_scales(const Tensor& x) {
    expect(x.rank() == 4, "row_scales: (B, H, P, width) is needed");
    Tensor scales = Tensor::zeros({x.size(0), x.size(1), x.size(2)});
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p) {
                float most = 0;
                for (Index i = 0; i < x.size(3); ++i) most = std::max(most, std::abs(x(b, h, p, i)));
                scales(b, h, p) = most / 127;
            }
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    expect(x.rank() == 4 && scales.rank() == 3, "to_int8: ranks 4 and 3 are needed");
    for (Index axis = 0; axis < 3; ++axis) expect(x.size(axis) == scales.size(axis), "to_int8: a scale for each row");
    Int8Rows rows{x.shape(), {}, Tensor::empty(scales.shape())};
    rows.scales.copy_from(scales);
    for_each_index(x.shape(), [&](const std::vector<Index>& at) {
        const double scale = scales(at[0], at[1], at[2]);
        expect(scale >= 0, "to_int8: negative scale");
        const double ratio = scale == 0 ? 0.0 : x(at[0], at[1], at[2], at[3]) / scale;
        rows.codes.push_back(static_cast<std::int8_t>(std::rint(std::min(127.0, std::max(-127.0, ratio)))));
    });
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    const Shape& shape = rows.shape;
    expect(shape.size() == 4, "from_int8: shape is not (B, H, P, width)");
    expect(rows.scales.shape() == Shape({shape[0], shape[1], shape[2]}), "from_int8: scales are not (B, H, P)");
    expect(shape[0] * shape[1] * shape[2] * shape[3] == static_cast<Index>(rows.codes.size()),
           "from_int8: not a code for each number");
    Tensor x = Tensor::empty(shape);
    std::size_t next = 0;
    for_each_index(shape, [&](const std::vector<Index>& at) {
        x(at[0], at[1], at[2], at[3]) = rows.codes[next++] * rows.scales(at[0], at[1], at[2]);
    });
    return x;
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    expect(k.rank() == 4 && v.rank() == 4, "append: k and v have four axes");
    expect(k.size(0) == v.size(0) && k.size(1) == v.size(1) && k.size(2) == v.size(2), "append: k and v do not fit");
    const auto grow = [](const Int8Rows& rows, const Tensor& x) {
        const Int8Rows more = to_int8(x, row_scales(x));
        if (rows.shape.empty()) return more;
        expect(same_but_tokens(rows.shape, more.shape), "append: the cache is of another shape");
        expect(rows.scales.shape() == Shape(rows.shape.begin(), rows.shape.end() - 1), "append: scales of the cache");
        expect(static_cast<Index>(rows.codes.size()) == rows.scales.numel() * rows.shape[3], "append: its codes");
        const Index P = rows.shape[2], n = more.shape[2], width = more.shape[3];
        Int8Rows all{
            {more.shape[0], more.shape[1], P + n, width}, {}, Tensor::empty({more.shape[0], more.shape[1], P + n})};
        for_each_index(all.shape, [&](const std::vector<Index>& at) {
            const bool old = at[2] < P;
            const Int8Rows& from = old ? rows : more;
            const Index p = old ? at[2] : at[2] - P;
            const Index row = (at[0] * from.shape[1] + at[1]) * from.shape[2] + p;
            all.codes.push_back(from.codes.at(static_cast<std::size_t>(row * width + at[3])));
            all.scales(at[0], at[1], at[2]) = from.scales(at[0], at[1], p);
        });
        return all;
    };
    expect(cache.k.shape.empty() == cache.v.shape.empty(), "append: half a cache");
    expect(cache.k.shape.empty() || cache.k.scales.shape() == cache.v.scales.shape(), "append: keys and values");
    return Int8Cache{grow(cache.k, k), grow(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    expect(same_but_tokens(q.shape(), k.shape()), "int8_attention: q does not fit the keys");
    expect(v.size(0) == k.size(0) && v.size(1) == k.size(1) && v.size(2) == k.size(2), "int8_attention: k and v");
    const Index B = q.size(0), H = q.size(1), T = q.size(2), P = k.size(2), d = q.size(3), d_v = v.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, P}) : Mask::allow_all({B, H, T, P});
    Tensor context = Tensor::zeros({B, H, T, d_v});
    std::vector<double> weights(static_cast<std::size_t>(P));
    for_each_index({B, H, T}, [&](const std::vector<Index>& at) {
        const Index b = at[0], h = at[1], t = at[2];
        double top = -std::numeric_limits<double>::infinity();
        for (Index j = 0; j < P; ++j) {
            double sum = 0;
            for (Index i = 0; i < d; ++i) sum += static_cast<double>(q(b, h, t, i)) * k(b, h, j, i);
            weights[j] = sum / std::sqrt(static_cast<double>(d));
            if (!blocked(b, h, t, j)) top = std::max(top, weights[j]);
        }
        double total = 0;
        for (Index j = 0; j < P; ++j) {
            weights[j] = blocked(b, h, t, j) ? 0.0 : std::exp(weights[j] - top);
            total += weights[j];
        }
        if (total == 0) return;
        for (Index i = 0; i < d_v; ++i) {
            double sum = 0;
            for (Index j = 0; j < P; ++j) sum += weights[j] * v(b, h, j, i);
            context(b, h, t, i) = static_cast<float>(sum / total);
        }
    });
    return context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    expect(std::min({B, H, S, d, d_v}) >= 1, "cache_bytes: every size is at least 1");
    const Index rows = B * H * S;
    if (kept == Kept::as_int8) return rows * (d + d_v + 8);
    return rows * (d + d_v) * (kept == Kept::as_half ? 2 : 4);
}

}  // namespace headway::ex12
