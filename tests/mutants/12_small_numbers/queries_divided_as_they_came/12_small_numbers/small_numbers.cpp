#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace headway::ex12 {

// Double inside, small functions that take functions, and a large number that is added and taken off again to round.

namespace {

using Rounding = std::function<float(double)>;

/// Adding 2^52 steps leaves no room for less than a step: the processor rounds to a multiple of it, ties to even.
double to_multiple(double x, double step) {
    const double large = std::ldexp(step, 52);
    return (x + large) - large;
}

Rounding rounding_to(Format format) {
    const int bits = format == Format::half ? 10 : 7;
    const int least = format == Format::half ? -14 : -126;
    const int most = format == Format::half ? 15 : 127;
    return [bits, least, most](double x) {
        const double size = std::abs(x);
        if (!(size > 0) || std::isinf(size)) return static_cast<float>(x);
        int exponent = 0;
        std::frexp(size, &exponent);
        --exponent;  // frexp's fraction lies between 0.5 and 1
        const double y = to_multiple(size, std::ldexp(1.0, std::max(exponent, least) - bits));
        const double limit = std::ldexp(1.0, most + 1);
        const float result = y < limit ? static_cast<float>(y) : std::numeric_limits<float>::infinity();
        return std::signbit(x) ? -result : result;
    };
}

Tensor copy_of(const Tensor& x) {
    Tensor copy = Tensor::empty(x.shape());
    copy.copy_from(x);
    return copy;
}

/// Calls `use` with the first number of each row of a row-major tensor.
template <class Use>
void for_rows(Tensor& x, Use use) {
    const Index width = x.size(-1);
    for (Index begin = 0; begin < x.numel(); begin += width) use(x.data() + begin, width);
}

void check(bool fine, const char* what) {
    if (!fine) throw std::invalid_argument(std::string("small_numbers: ") + what);
}

bool positive(const Shape& shape) {
    return std::all_of(shape.begin(), shape.end(), [](Index size) { return size >= 1; });
}

Index product(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()); }

Shape without_last(Shape shape) {
    shape.pop_back();
    return shape;
}

void check_fit(const Shape& q, const Shape& k, const Shape& v) {
    check(q.size() == 4 && k.size() == 4 && v.size() == 4, "four axes are needed");
    check(positive(q) && positive(k) && positive(v), "every size is at least 1");
    for (const std::size_t axis : {0U, 1U}) check(q[axis] == k[axis] && k[axis] == v[axis], "batches or heads differ");
    check(q[3] == k[3], "widths of q and k differ");
    check(k[2] == v[2], "k and v have not as many tokens");
}

void check_whole(const Int8Rows& rows) {
    check(rows.shape.size() == 4 && positive(rows.shape), "rows: the shape");
    check(rows.codes.size() == static_cast<std::size_t>(product(rows.shape)), "rows: the codes");
    check(rows.scales.shape() == without_last(rows.shape), "rows: the scales");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    const Rounding r = rounding_to(format);
    Tensor y = copy_of(x);
    std::transform(y.data(), y.data() + y.numel(), y.data(), r);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    check(x.rank() >= 1, "an axis is needed");
    const Rounding r = rounding_to(format);
    Tensor in = copy_of(x);
    std::vector<float> totals;
    for_rows(in, [&](float* row, Index n) {
        totals.push_back(std::accumulate(row, row + n, 0.0F, [&](float total, float number) {
            return r(static_cast<double>(total) + static_cast<double>(number));
        }));
    });
    Shape shape = x.shape();
    shape.back() = 1;
    return Tensor::of(shape, totals);
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    check(scores.rank() >= 1, "an axis is needed");
    const Rounding r = rounding_to(Format::half);
    Tensor weights = copy_of(scores);
    for_rows(weights, [&](float* row, Index S) {
        std::transform(row, row + S, row, r);
        const float largest = *std::max_element(row, row + S);
        if (largest == -std::numeric_limits<float>::infinity()) {
            std::fill(row, row + S, 0.0F);
            return;
        }
        for (Index s = 0; s < S; ++s) {
            const float below = r(row[s] - largest);
            row[s] = r(std::exp(static_cast<double>(below)));
        }
        float sum = 0;
        if (total == Total::in_half) {
            for (Index s = 0; s < S; ++s) sum = r(sum + row[s]);
        } else {
            sum = static_cast<float>(std::accumulate(row, row + S, 0.0));
        }
        for (Index s = 0; s < S; ++s) row[s] = r(row[s] / sum);
    });
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check_fit(q.shape(), k.shape(), v.shape());
    const Rounding r = rounding_to(Format::half);
    const Tensor rq = rounded(q / std::sqrt(static_cast<float>(q.size(3))), Format::half),
                 rk = rounded(k, Format::half), rv = rounded(v, Format::half);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), d = q.size(3), S = k.size(2), d_v = v.size(3);
    Tensor scores = Tensor::empty({B, H, T, S});
    Tensor context = Tensor::empty({B, H, T, d_v});
    const auto for_matrices = [&](const auto& use) {
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h) use(b, h);
    };
    for_matrices([&](Index b, Index h) {
        const float* queries = rq[b][h].data();
        const float* keys = rk[b][h].data();
        for (Index t = 0; t < T; ++t)
            for (Index s = 0; s < S; ++s) {
                const double dot = std::inner_product(queries + t * d, queries + (t + 1) * d, keys + s * d, 0.0);
                scores(b, h, t, s) = r(dot);
            }
    });
    const Tensor open = masked_fill(scores, mask, -std::numeric_limits<float>::infinity());
    const Tensor weights = softmax_in_half(open, Total::in_float);
    for_matrices([&](Index b, Index h) {
        for (Index t = 0; t < T; ++t)
            for (Index j = 0; j < d_v; ++j) {
                double sum = 0;
                for (Index s = 0; s < S; ++s)
                    sum += static_cast<double>(weights(b, h, t, s)) * static_cast<double>(rv(b, h, s, j));
                context(b, h, t, j) = r(sum);
            }
    });
    return context;
}

Tensor row_scales(const Tensor& x) {
    check(x.rank() == 4 && positive(x.shape()), "rows of four axes are needed");
    Tensor in = copy_of(x);
    std::vector<float> scales;
    for_rows(in, [&](float* row, Index width) {
        const auto [low, high] = std::minmax_element(row, row + width);
        scales.push_back(std::max(std::abs(*low), std::abs(*high)) / 127);
    });
    return Tensor::of(without_last(x.shape()), scales);
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    check(x.rank() == 4 && positive(x.shape()), "rows of four axes are needed");
    check(scales.shape() == without_last(x.shape()), "a scale is needed for each row");
    Tensor in = copy_of(x);
    Int8Rows rows{x.shape(), {}, copy_of(scales)};
    const float* scale = rows.scales.data();
    check(std::all_of(scale, scale + rows.scales.numel(), [](float s) { return s >= 0; }), "a scale is negative");
    for_rows(in, [&](float* row, Index width) {
        const auto code = [&](float number) {
            if (*scale == 0) return std::int8_t{0};
            const double quotient = static_cast<double>(number) / static_cast<double>(*scale);
            return static_cast<std::int8_t>(std::nearbyint(std::clamp(quotient, -127.0, 127.0)));
        };
        std::transform(row, row + width, std::back_inserter(rows.codes), code);
        ++scale;
    });
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    check_whole(rows);
    const std::vector<float> codes(rows.codes.begin(), rows.codes.end());
    Shape column = rows.scales.shape();
    column.push_back(1);
    return Tensor::of(rows.shape, codes) * rows.scales.contiguous().view(column);
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    check_fit(k.shape(), k.shape(), v.shape());
    const bool fresh = cache.k.shape.empty() && cache.v.shape.empty();
    if (!fresh) {
        check_whole(cache.k);
        check_whole(cache.v);
        check_fit(cache.k.shape, cache.k.shape, cache.v.shape);
        check_fit(cache.k.shape, k.shape(), v.shape());
        check(cache.v.shape[3] == v.size(3), "widths of the values differ");
    }
    // From behind: each head of the new ones goes in where that head of the old ones ends.
    const auto extended = [&](Int8Rows rows, const Tensor& x) {
        const Int8Rows tail = to_int8(x, row_scales(x));
        if (fresh) return tail;
        const Index old = rows.shape[2] * rows.shape[3], added = tail.shape[2] * tail.shape[3];
        for (Index head = rows.shape[0] * rows.shape[1]; head > 0; --head)
            rows.codes.insert(rows.codes.begin() + head * old, tail.codes.begin() + (head - 1) * added,
                              tail.codes.begin() + head * added);
        rows.shape[2] += tail.shape[2];
        rows.scales = cat({rows.scales, tail.scales}, -1);
        return rows;
    };
    return {extended(cache.k, k), extended(cache.v, v)};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    check_whole(cache.k);
    check_whole(cache.v);
    check_fit(q.shape(), cache.k.shape, cache.v.shape);
    if (mask.defined()) mask.expand({q.size(0), q.size(1), q.size(2), cache.k.shape[2]});  // refuses what does not fit
    return given::scaled_dot_product_attention(q, from_int8(cache.k), from_int8(cache.v), mask).context;
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    check(std::min({B, H, S, d, d_v}) >= 1, "every size is at least 1");
    const auto row = [kept](Index width) {
        return kept == Kept::as_float ? 4 * width : kept == Kept::as_half ? 2 * width : width + Index{sizeof(float)};
    };
    return B * H * S * (row(d) + row(d_v));
}

}  // namespace headway::ex12
