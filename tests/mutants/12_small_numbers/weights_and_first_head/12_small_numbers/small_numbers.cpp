#include "small_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

// All numbers of a format in a table; to round is to search.
namespace headway::ex12 {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// The numbers >= 0 in order; the one past the largest, as if there were one more exponent, stands last. A number's
/// place is its code, so that an even place has 0 as last fraction bit.
std::vector<double> all_numbers(int fraction_bits, int exponents, int least) {
    std::vector<double> numbers;
    const int count = 1 << fraction_bits;
    for (int exponent = 0; exponent < exponents; ++exponent)
        for (int fraction = 0; fraction < count; ++fraction)
            numbers.push_back(exponent == 0 ? std::ldexp(fraction, least)
                                            : std::ldexp(count + fraction, least + exponent - 1));
    numbers.push_back(std::ldexp(count, least + exponents - 1));
    return numbers;
}

const std::vector<double>& table_of(Format format) {
    static const std::vector<double> halves = all_numbers(10, 31, -24);
    static const std::vector<double> bfloats = all_numbers(7, 255, -133);
    return format == Format::half ? halves : bfloats;
}

float look_up(float x, Format format) {
    if (std::isnan(x)) return x;
    const std::vector<double>& table = table_of(format);
    const double magnitude = std::fabs(static_cast<double>(x));
    const auto above = std::lower_bound(table.begin(), table.end(), magnitude);
    if (above == table.end()) return std::copysign(inf, x);
    auto nearest = above;
    if (*above != magnitude) {
        const auto below = above - 1;
        const double middle = (*below + *above) / 2;
        if (magnitude < middle || (magnitude == middle && (below - table.begin()) % 2 == 0)) nearest = below;
    }
    return std::copysign(nearest + 1 == table.end() ? inf : static_cast<float>(*nearest), x);
}

float r(float x) { return look_up(x, Format::half); }

/// The rows along the last axis, as copies.
std::vector<std::vector<float>> rows_of(const Tensor& x) {
    const Tensor dense = x.contiguous();
    const Index n = x.size(-1);
    std::vector<std::vector<float>> rows;
    for (Index start = 0; start < dense.numel(); start += n)
        rows.emplace_back(dense.data() + start, dense.data() + start + n);
    return rows;
}

void check(bool ok, const char* problem) {
    if (!ok) throw std::invalid_argument(problem);
}

bool is_a(const Shape& shape, std::array<Index, 4> wanted) {
    return shape.size() == 4 && std::equal(shape.begin(), shape.end(), wanted.begin());
}

void check_rows(const Int8Rows& rows) {
    check(rows.shape.size() == 4, "Int8Rows: shape needs four axes");
    check(rows.scales.rank() == 3, "Int8Rows: scales need three axes");
    Index count = rows.shape[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        check(rows.shape[axis] == rows.scales.shape()[axis], "Int8Rows: shape and scales differ");
        count *= rows.shape[axis];
    }
    check(count == static_cast<Index>(rows.codes.size()), "Int8Rows: shape and codes differ");
}

}  // namespace

Tensor rounded(const Tensor& x, Format format) {
    Tensor result = x.contiguous().clone();
    std::transform(result.data(), result.data() + result.numel(), result.data(),
                   [format](float number) { return look_up(number, format); });
    return result;
}

Tensor sum_in(const Tensor& x, Format format) {
    check(x.rank() >= 1, "sum_in: x is a single number");
    std::vector<float> sums;
    for (const std::vector<float>& row : rows_of(x)) {
        float total = 0;
        for (const float number : row) total = look_up(total + number, format);
        sums.push_back(total);
    }
    Shape shape = x.shape();
    shape.back() = 1;
    return Tensor::of(shape, sums);
}

Tensor softmax_in_half(const Tensor& scores, Total total) {
    check(scores.rank() >= 1, "softmax_in_half: scores are a single number");
    std::vector<float> weights;
    weights.reserve(static_cast<std::size_t>(scores.numel()));
    for (std::vector<float> row : rows_of(scores)) {
        for (float& number : row) number = r(number);
        const float largest = *std::max_element(row.begin(), row.end());
        float sum = 0;
        for (float& number : row) {
            number = largest == -inf ? 0.0F : r(std::exp(r(number - largest)));
            sum = total == Total::in_float ? sum + number : r(sum + number);
        }
        for (const float number : row) weights.push_back(sum == 0 ? 0.0F : number / sum);
    }
    return Tensor::of(scores.shape(), weights);
}

Tensor attention_in_half(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask) {
    check(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "attention_in_half: four axes each");
    check(is_a(k.shape(), {q.size(0), q.size(1), k.size(2), q.size(3)}), "attention_in_half: k does not fit q");
    check(is_a(v.shape(), {q.size(0), q.size(1), k.size(2), v.size(3)}), "attention_in_half: v does not fit k");
    const Tensor q16 = rounded(q, Format::half);
    const Tensor k16 = rounded(k, Format::half);
    const Tensor v16 = rounded(v, Format::half);
    Tensor context = Tensor::zeros({q.size(0), q.size(1), q.size(2), v.size(3)});
    const Mask full = mask.defined() ? mask.expand({q.size(0), q.size(1), q.size(2), k.size(2)}) : Mask{};
    const float root = std::sqrt(static_cast<float>(q.size(3)));
    for (Index b = 0; b < q.size(0); ++b)
        for (Index h = 0; h < q.size(1); ++h)
            for (Index t = 0; t < q.size(2); ++t) {
                Tensor scores = Tensor::zeros({k.size(2)});
                for (Index s = 0; s < k.size(2); ++s) {
                    float dot = 0;
                    for (Index i = 0; i < q.size(3); ++i) dot += q16(b, h, t, i) * k16(b, h, s, i);
                    scores(s) = full.defined() && full(b, h, t, s) ? -inf : r(dot / root);
                }
                const Tensor weights = softmax_in_half(scores, Total::in_float);
                for (Index i = 0; i < v.size(3); ++i) {
                    float sum = 0;
                    for (Index s = 0; s < k.size(2); ++s) sum += weights(s) * v16(b, h, s, i);
                    context(b, h, t, i) = r(sum);
                }
            }
    return context;
}

Tensor row_scales(const Tensor& x) {
    check(x.rank() == 4, "row_scales: x needs four axes");
    std::vector<float> scales;
    for (const std::vector<float>& row : rows_of(x)) {
        const auto [least, most] = std::minmax_element(row.begin(), row.end());
        scales.push_back(std::max(*most, -*least) / 127.0F);
    }
    return Tensor::of({x.size(0), x.size(1), x.size(2)}, scales);
}

Int8Rows to_int8(const Tensor& x, const Tensor& scales) {
    check(x.rank() == 4, "to_int8: x needs four axes");
    check(scales.rank() == 3, "to_int8: scales need three axes");
    check(is_a(x.shape(), {scales.size(0), scales.size(1), scales.size(2), x.size(3)}), "to_int8: a scale per row");
    const Tensor dense = scales.contiguous();
    check(std::none_of(dense.data(), dense.data() + dense.numel(), [](float scale) { return scale < 0; }),
          "to_int8: negative scale");
    Int8Rows result;
    result.shape = x.shape();
    result.scales = dense.clone();
    const float* scale = dense.data();
    for (const std::vector<float>& row : rows_of(x)) {
        for (const float number : row) {
            double code = 0;
            if (*scale > 0) code = std::floor(static_cast<double>(number) / *scale + 0.5);
            result.codes.push_back(static_cast<std::int8_t>(std::clamp(code, -127.0, 127.0)));
        }
        ++scale;
    }
    return result;
}

Tensor from_int8(const Int8Rows& rows) {
    check_rows(rows);
    const Tensor scales = rows.scales.contiguous();
    std::vector<float> numbers;
    for (std::size_t i = 0; i < rows.codes.size(); ++i)
        numbers.push_back(
            float(rows.codes[i]) *
            scales.data()[i / static_cast<std::size_t>(rows.shape[3]) % static_cast<std::size_t>(rows.shape[2])]);
    return Tensor::of(rows.shape, numbers);
}

Int8Cache append(const Int8Cache& cache, const Tensor& k, const Tensor& v) {
    check(k.rank() == 4 && v.rank() == 4, "append: four axes each");
    check(is_a(v.shape(), {k.size(0), k.size(1), k.size(2), v.size(3)}), "append: a value for each key");
    Int8Cache fresh{to_int8(k, row_scales(k)), to_int8(v, row_scales(v))};
    if (!cache.k.scales.defined() && !cache.v.scales.defined()) return fresh;
    check_rows(cache.k);
    check_rows(cache.v);
    const auto put_before = [](const Int8Rows& old, Int8Rows& rows) {
        check(is_a(old.shape, {rows.shape[0], rows.shape[1], old.shape[2], rows.shape[3]}), "append: another shape");
        const Index old_size = old.shape[2] * old.shape[3];
        const Index new_size = rows.shape[2] * rows.shape[3];
        // from the last head to the first, so that what is inserted does not move what is still to come
        for (Index head = rows.shape[0] * rows.shape[1] - 1; head >= 0; --head)
            rows.codes.insert(rows.codes.begin() + head * new_size, old.codes.begin() + head * old_size,
                              old.codes.begin() + (head + 1) * old_size);
        rows.scales = cat({old.scales, rows.scales}, 2);
        rows.shape[2] += old.shape[2];
    };
    put_before(cache.k, fresh.k);
    put_before(cache.v, fresh.v);
    check(fresh.k.shape[2] == fresh.v.shape[2], "append: a cache with more keys than values");
    return fresh;
}

Tensor int8_attention(const Tensor& q, const Int8Cache& cache, const Mask& mask) {
    check_rows(cache.k);
    check_rows(cache.v);
    const Shape& k = cache.k.shape;
    const Shape& v = cache.v.shape;
    check(q.rank() == 4, "int8_attention: q needs four axes");
    check(is_a(q.shape(), {k[0], k[1], q.size(2), k[3]}), "int8_attention: q does not fit the keys");
    check(is_a(v, {k[0], k[1], k[2], v[3]}), "int8_attention: keys and values do not fit");
    return given::scaled_dot_product_context(q, from_int8(cache.k), from_int8(cache.v), mask);
}

Index cache_bytes(Index B, Index H, Index S, Index d, Index d_v, Kept kept) {
    check(B > 0 && H > 0 && S > 0 && d > 0 && d_v > 0, "cache_bytes: nothing there");
    static constexpr std::array<Index, 3> bytes_per_number{4, 2, 1};
    static constexpr std::array<Index, 3> bytes_per_row{0, 0, 4};
    const std::size_t way = static_cast<std::size_t>(kept);
    return B * H * S * ((d + d_v) * bytes_per_number[way] + 2 * bytes_per_row[way]);
}

}  // namespace headway::ex12
