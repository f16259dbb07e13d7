#include "small_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace headway::ex12 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// frexp takes a number apart, ldexp puts it together: x = fraction · 2^exponent, with fraction in [1/2, 1).
float nearest(float x, int digits, int least_exponent, float past_the_largest) {
    if (std::isnan(x) || std::isinf(x) || x == 0) return x;
    int exponent = 0;
    std::frexp(x, &exponent);
    // The place of the last digit that is kept.
    const int place = std::max(exponent - digits, least_exponent);
    const double scaled = std::ldexp(static_cast<double>(x), -place);
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    const bool is_odd = std::fmod(whole, 2) != 0;
    if (rest > 0.5 || (rest == 0.5 && is_odd)) whole += 1;
    const double result = std::ldexp(whole, place);
    if (std::fabs(result) >= static_cast<double>(past_the_largest)) return std::copysign(infinity, x);
    return std::copysign(static_cast<float>(result), x);
}

float half(float x) {
#ifdef __FLT16_MANT_DIG__
    return static_cast<float>(static_cast<_Float16>(x));  // the compiler knows them
#else
    return nearest(x, 11, -24, 65'536);
#endif
}

float narrow(float x, Format format) { return format == Format::half ? half(x) : nearest(x, 8, -133, infinity); }

/// Calls `visit` with a view of each row, of any strides, and its number.
void for_each_row(const Tensor& x, const std::function<void(const Tensor& row, Index number)>& visit) {
    if (x.rank() == 1) {
        visit(x, Index{0});
        return;
    }
    const Index rows_each = x[0].numel() / x.size(-1);
    for (Index i = 0; i < x.size(0); ++i)
        for_each_row(x[i], [&](const Tensor& row, Index number) { visit(row, i * rows_each + number); });
}

[[noreturn]] void misfit() { throw std::invalid_argument("the shapes do not fit together"); }

Shape of_rows(const Tensor& x) {
    if (x.rank() != 4) misfit();
    return {x.size(0), x.size(1), x.size(2)};
}

void see_that_they_fit(const Tensor& q, const Tensor& k, const Tensor& v) {
    if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) misfit();
    for (const Index axis : {0, 1})
        if (q.size(axis) != k.size(axis) || q.size(axis) != v.size(axis)) misfit();
    if (q.size(3) != k.size(3) || k.size(2) != v.size(2)) misfit();
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor y = Tensor::empty(x.shape());
    y.copy_from(x);
    for (Index i = 0; i < y.numel(); ++i) y.data()[i] = narrow(y.data()[i], format);
    return y;
}

Tensor sum_in(const Tensor& x, Format format) {
    if (x.rank() < 1) misfit();
    Shape shape = x.shape();
    shape.back() = 1;
    Tensor totals = Tensor::zeros(shape);
    for_each_row(x, [&](const Tensor& row, Index number) {
        float& total = totals.data()[number];
        for (Index i = 0; i < row.numel(); ++i) total = narrow(total + row(i), format);
    });
    return totals;
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    if (scores.rank() < 1) misfit();
    const Index S = scores.size(-1);
    Tensor weights = Tensor::zeros(scores.shape());
    for_each_row(scores, [&](const Tensor& row, Index number) {
        float largest = -infinity;
        for (Index s = 0; s < S; ++s) largest = std::max(largest, half(row(s)));
        if (largest == -infinity) return;
        float* e = weights.data() + number * S;
        double in_float = 0;
        float in_half = 0;
        for (Index s = 0; s < S; ++s) {
            e[s] = half(std::exp(half(half(row(s)) - largest)));
            in_float += static_cast<double>(e[s]);
            in_half = half(in_half + e[s]);
        }
        const float all = total == Total::in_half ? in_half : static_cast<float>(in_float);
        for (Index s = 0; s < S; ++s) e[s] = half(e[s] / all);
    });
    return weights;
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    see_that_they_fit(q, k, v);
    const Index B = q.size(0), H = q.size(1), T = q.size(2), S = k.size(2), d = q.size(3);
    const Mask blocked = mask.defined() ? mask.expand({B, H, T, S}) : Mask::allow_all({B, H, T, S});
    const Tensor rq = rounded(q, Format::half), rk = rounded(k, Format::half), rv = rounded(v, Format::half);
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    Tensor context = Tensor::zeros({B, H, T, v.size(3)});
    for (Index b = 0; b < B; ++b)
        for (Index h = 0; h < H; ++h)
            for (Index t = 0; t < T; ++t) {
                Tensor scores = Tensor::full({S}, -infinity);
                for (Index s = 0; s < S; ++s) {
                    if (blocked(b, h, t, s)) continue;
                    float total = 0;
                    for (Index i = 0; i < d; ++i) total += rq(b, h, t, i) * scale * rk(b, h, s, i);
                    scores(s) = half(total);
                }
                const Tensor weights = softmax_in_half(scores, Total::in_float);
                for (Index i = 0; i < v.size(3); ++i) {
                    float total = 0;
                    for (Index s = 0; s < S; ++s) total += weights(s) * rv(b, h, s, i);
                    context(b, h, t, i) = half(total);
                }
            }
    return context;
}

Tensor row_scales(const Tensor& x) {
    Tensor scales = Tensor::zeros(of_rows(x));
    for_each_row(x, [&](const Tensor& row, Index number) {
        float largest = 0;
        for (Index i = 0; i < row.numel(); ++i)
            if (std::fabs(row(i)) > largest) largest = std::fabs(row(i));
        scales.data()[number] = largest * (1.0F / 127);
    });
    return scales;
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    if (scales.shape() != of_rows(x)) misfit();
    Int8Rows rows{x.shape(), {}, Tensor::empty(scales.shape())};
    rows.scales.copy_from(scales);
    for_each_row(x, [&](const Tensor& row, Index number) {
        const float scale = rows.scales.data()[number];
        if (scale < 0) throw std::invalid_argument("a scale is negative");
        for (Index i = 0; i < row.numel(); ++i) {
            const double quotient = scale > 0 ? static_cast<double>(row(i)) / static_cast<double>(scale) : 0;
            int code = 0;
            if (quotient >= 127)
                code = 127;
            else if (quotient <= -127)
                code = -127;
            else
                code = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);  // cut off toward 0
            rows.codes.push_back(static_cast<std::int8_t>(code));
        }
    });
    return rows;
}

Tensor from_int8(const Int8Rows& rows) {
    if (rows.shape.size() != 4) misfit();
    Tensor x = Tensor::empty(rows.shape);
    if (rows.scales.shape() != of_rows(x) || static_cast<Index>(rows.codes.size()) != x.numel()) misfit();
    auto code = rows.codes.begin();
    for (Index b = 0; b < x.size(0); ++b)
        for (Index h = 0; h < x.size(1); ++h)
            for (Index p = 0; p < x.size(2); ++p)
                for (Index i = 0; i < x.size(3); ++i)
                    x(b, h, p, i) = rows.scales(b, h, p) * static_cast<float>(*code++);
    return x;
}

namespace {

/// The code of a number in a place, as row-major order has it.
std::int8_t code_at(const Int8Rows& rows, Index b, Index h, Index p, Index i) {
    const Shape& n = rows.shape;
    return rows.codes[static_cast<std::size_t>(((b * n[1] + h) * n[2] + p) * n[3] + i)];
}

Int8Rows behind(const Int8Rows& old, const Int8Rows& fresh) {
    if (old.shape.empty()) return fresh;
    for (const std::size_t axis : {0, 1, 3})
        if (old.shape[axis] != fresh.shape[axis]) misfit();
    Int8Rows all{fresh.shape, {}, {}};
    const Index P = old.shape[2];
    all.shape[2] += P;
    all.scales = Tensor::empty({all.shape[0], all.shape[1], all.shape[2]});
    for (Index b = 0; b < all.shape[0]; ++b)
        for (Index h = 0; h < all.shape[1]; ++h)
            for (Index p = 0; p < all.shape[2]; ++p) {
                const bool is_old = p < P;
                const Int8Rows& from = is_old ? old : fresh;
                const Index at = is_old ? p : p - P;
                all.scales(b, h, p) = from.scales(b, h, at);
                for (Index i = 0; i < all.shape[3]; ++i) all.codes.push_back(code_at(from, b, h, at, i));
            }
    return all;
}

}  // namespace

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    see_that_they_fit(k, k, v);
    return {behind(cache.k, to_int8(k, row_scales(k))), behind(cache.v, to_int8(v, row_scales(v)))};
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    const Tensor k = from_int8(cache.k), v = from_int8(cache.v);
    see_that_they_fit(q, k, v);
    return given::scaled_dot_product_context(q, k, v, mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    if (B < 1 || H < 1 || S < 1 || d < 1 || d_v < 1) misfit();
    Index bytes = 0;
    switch (kept) {
        case Kept::as_float:
            bytes = 4 * (d + d_v);
            break;
        case Kept::as_half:
            bytes = 2 * (d + d_v);
            break;
        case Kept::as_int8:
            bytes = d + 4 + d_v + 4;
            break;
    }
    return B * H * S * bytes;
}

}  // namespace headway::ex12
