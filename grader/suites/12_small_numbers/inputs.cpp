#include "suites/12_small_numbers/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headway::judge::small_numbers {
namespace {

const diagnosis::Digits& digits_of(const std::string& format) {
    return format == half ? diagnosis::half_digits : diagnosis::bfloat16_digits;
}

float either_sign(Random& random, float x) { return random.integer(0, 1) == 1 ? -x : x; }

float power_of_two(float exponent) { return std::exp2(exponent); }

/// A fraction of that many bits, with that exponent.
float random_number(Random& random, const diagnosis::Digits& format, int exponent) {
    const Index bits = random.integer(0, (Index{1} << format.fraction_bits) - 1);
    const float fraction = std::ldexp(static_cast<float>(bits), -format.fraction_bits);
    return std::ldexp(1 + fraction, exponent);
}

Tensor as_tensor(const std::vector<float>& numbers) {
    return Tensor::of({static_cast<Index>(numbers.size())}, numbers);
}

/// Each row times another power of two.
Tensor times_powers(Random& random, const Tensor& x, float low, float high) {
    Shape rows = x.shape();
    rows.back() = 1;
    Tensor factors = Tensor::empty(rows);
    for (Index i = 0; i < factors.numel(); ++i) factors.data()[i] = power_of_two(random.uniform(low, high));
    return x * factors;
}

/// The first feature of each row becomes that number.
void set_first(Tensor& x, float number) { x.slice(-1, 0, 1).fill(number); }

}  // namespace

Tensor around_numbers(Random& random, const std::string& format, int how_many, const std::vector<float>& borders) {
    const diagnosis::Digits& digits = digits_of(format);
    std::vector<float> numbers;
    for (int i = 0; i < how_many; ++i) {
        const int exponent = static_cast<int>(random.integer(format == half ? -24 : -60, format == half ? 15 : 60));
        // Below the least exponent fewer bits are left: numbers stay a whole number of steps.
        const float step = std::ldexp(1.0F, std::max(exponent, digits.least_exponent) - digits.fraction_bits);
        const float x = std::floor(random_number(random, digits, exponent) / step) * step;
        const float middle = x + step / 2;
        for (const float near :
             {x, x + step * random.uniform(0.01F, 0.49F), x + step * random.uniform(0.51F, 0.99F), middle,
              std::nextafter(middle, 0.0F), std::nextafter(middle, std::numeric_limits<float>::infinity())})
            numbers.push_back(either_sign(random, near));
    }
    for (const float border : borders) numbers.insert(numbers.end(), {border, -border});
    return as_tensor(numbers);
}

std::vector<float> borders_of(const std::string& format) {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto power = [](int exponent) { return std::ldexp(1.0F, exponent); };
    std::vector<float> borders{0, infinity, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min()};
    // NaN whose lower half alone says so, and one that a carry would run through.
    for (const std::uint32_t bits : {0x7F80'0001U, 0x7FFF'FFFFU}) borders.push_back(std::bit_cast<float>(bits));
    const int least = format == half ? -24 : -133;
    for (const float x : {power(least), power(least - 1), 3 * power(least - 1), 5 * power(least - 1), 3 * power(least)})
        borders.insert(borders.end(), {x, std::nextafter(x, 0.0F), std::nextafter(x, 1.0F)});
    for (const float x : {power(least + 10), power(least + 7), power(least + 11)})
        borders.insert(borders.end(), {x, x - power(least), x + power(least), x + power(least) / 2});
    if (format == half)
        borders.insert(borders.end(), {65'504, 65'519, 65'519.996F, 65'520, 65'520.004F, 65'535, 65'536, 1e5F, 1e30F});
    else
        borders.insert(borders.end(), {0x1.fep127F, 0x1.fefffep127F, 0x1.ffp127F, 65'520, 65'536, 1e30F, 1e-30F});
    return borders;
}

Tensor numbers_of_format(Random& random, const Shape& shape, const std::string& format) {
    const diagnosis::Digits& digits = digits_of(format);
    Tensor x = Tensor::empty(shape);
    for (Index i = 0; i < x.numel(); ++i)
        x.data()[i] = either_sign(random, random_number(random, digits, static_cast<int>(random.integer(-5, 5))));
    return x;
}

Tensor within_halves(const Tensor& x) {
    const auto largest = static_cast<float>(diagnosis::half_digits.largest);
    Tensor within = x.contiguous().clone();
    for (Index i = 0; i < within.numel(); ++i) within.data()[i] = std::clamp(within.data()[i], -largest, largest);
    return within;
}

Tensor with_blocked(Random& random, const Tensor& scores, bool empty) {
    const Tensor some = scores.contiguous().clone();
    const Index S = some.size(-1);
    Tensor all = some;
    for (Index i = 0; i < all.numel(); ++i) {
        const bool whole_row = empty && i / S % 3 == 1;
        if (whole_row || (i % S != i / S % S && random.integer(0, 2) == 0))
            all.data()[i] = -std::numeric_limits<float>::infinity();
    }
    return all;
}

Heads random_heads(Random& random, const Sizes& n) {
    // Numbers of which most are no halves.
    return {random_tensor(random, {n.B, n.H, n.T, n.d}), random_tensor(random, {n.B, n.H, n.S, n.d}),
            random_tensor(random, {n.B, n.H, n.S, n.d_v})};
}

Heads heads_of_few_digits(Random& random, const Sizes& n) {
    Heads in = random_heads(random, n);
    for (Tensor* x : {&in.q, &in.k, &in.v})
        for (Index i = 0; i < x->numel(); ++i) x->data()[i] = std::nearbyint(2 * x->data()[i]) / 2;
    return in;
}

Heads beyond_the_largest(Random& random, const Sizes& n) {
    Heads in = random_heads(random, n);
    // Σ is about 90,000 for every pair, and its quotient a half as long as d is 3 or more; the rest tells keys apart.
    const float level = std::sqrt(90'000 / static_cast<float>(n.d));
    in.q = in.q * 0.05F + level;
    in.k = in.k * 2.0F + level;
    return in;
}

Heads large_term_first(Random& random, const Sizes& n) {
    Heads in = random_heads(random, n);
    in.q.fill(1);
    for (Index i = 0; i < in.k.numel(); ++i) in.k.data()[i] = in.k.data()[i] * 0.25F + 0.75F;
    set_first(in.k, 2048);
    for (Index i = 0; i < in.v.numel(); ++i) in.v.data()[i] = in.v.data()[i] * 0.25F + 1;
    in.v.slice(2, 0, 1).fill(2048);
    return in;
}

Heads near_the_ends(Random& random, const Sizes& n) {
    Heads in = random_heads(random, n);
    set_first(in.q, 240);
    const float root = std::sqrt(static_cast<float>(n.d));
    for (Index s = 0; s < n.S; ++s)
        in.k.slice(2, s, s + 1).slice(3, 0, 1).fill((s % 2 == 0 ? -250 : 250) * root + static_cast<float>(s));
    return in;
}

Tensor uneven_rows(Random& random, const Shape& shape) {
    return times_powers(random, random_tensor(random, shape), -12, 12);
}

Rows random_rows(Random& random, Index B, Index H, Index P, Index width, float low, float high) {
    Rows rows{Tensor::empty({B, H, P, width}), Tensor::empty({B, H, P})};
    for (Index i = 0; i < rows.codes.numel(); ++i) rows.codes.data()[i] = static_cast<float>(random.integer(-127, 127));
    for (Index i = 0; i < rows.scales.numel(); ++i) rows.scales.data()[i] = power_of_two(random.uniform(low, high));
    // Rows that do not reach 127: coded once more, they would have other codes.
    for (Index p = 0; p < P; p += 2) {
        Tensor some = rows.codes.slice(2, p, p + 1);
        for (Index b = 0; b < B; ++b)
            for (Index h = 0; h < H; ++h)
                for (Index i = 0; i < width; ++i) some(b, h, 0, i) = std::trunc(some(b, h, 0, i) / 3);
    }
    return rows;
}

Cache random_cache(Random& random, Index B, Index H, Index P, Index d, Index d_v) {
    return {random_rows(random, B, H, P, d, -9, -5), random_rows(random, B, H, P, d_v, -9, -3)};
}

}  // namespace headway::judge::small_numbers
