#include "dense.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

namespace headway {
namespace {

// std::bit_cast is missing in the library that the site's explorer is compiled with.
std::uint64_t bits_of(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
double of_bits(std::uint64_t bits) {
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// eˣ in double, and without a branch, so that compilers vectorise it: eˣ = 2ⁿ · eʳ with |r| <= ln 2 / 2, where
/// Taylor's polynomial of degree 10 is off by less than 3e-13, a millionth of what rounding to float32 takes away.
float exponential(double x) {
    constexpr double log2_e = 1.4426950408889634, ln_2 = 0.6931471805599453;
    constexpr double rounder = 0x1.8p52;                      // added, it leaves the nearest integer in the low bits
    constexpr double zero_below = -104, infinity_above = 89;  // as float32; in this form NaN is kept
    x = x < zero_below ? zero_below : x;
    x = x > infinity_above ? infinity_above : x;
    const double shifted = x * log2_e + rounder;
    const double r = x - (shifted - rounder) * ln_2;
    double e_r = 1.0 / 3628800;
    for (const double coefficient :
         {1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
        e_r = e_r * r + coefficient;
    const auto two_to_n = of_bits((bits_of(shifted) + 1023) << 52U);
    return static_cast<float>(e_r * two_to_n);
}

/// So many at a time: what compilers keep in registers as vectors.
constexpr Index lanes = 16;

}  // namespace

void exponentials(const float* x, Index count, float factor, float shift, float* result) {
    const double by = static_cast<double>(factor), less = static_cast<double>(shift);
    std::array<float, lanes> some;
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
        std::copy_n(x + i, lanes, some.data());  // no other pointer leads here: nothing keeps these from being a vector
        for (float& value : some) value = exponential(static_cast<double>(value) * by - less);
        std::copy_n(some.data(), lanes, result + i);
    }
    for (; i < count; ++i) result[i] = exponential(static_cast<double>(x[i]) * by - less);
}

double total(const float* x, Index count) {
    std::array<double, lanes> sums{};
    Index i = 0;
    for (; i + lanes <= count; i += lanes)
        for (Index lane = 0; lane < lanes; ++lane)
            sums[static_cast<std::size_t>(lane)] += static_cast<double>(x[i + lane]);
    double sum = 0;
    for (; i < count; ++i) sum += static_cast<double>(x[i]);
    for (const double of_lane : sums) sum += of_lane;
    return sum;
}

float largest(const float* x, Index count) {
    const auto larger = [](float a, float b) { return a > b ? a : b; };  // one instruction, but it may lose a NaN
    std::array<float, 2 * lanes> found;
    found.fill(-std::numeric_limits<float>::infinity());
    Index i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes)
        for (std::size_t lane = 0; lane < found.size(); ++lane)
            found[lane] = larger(found[lane], x[i + static_cast<Index>(lane)]);
    for (std::size_t half = found.size() / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) found[lane] = larger(found[lane], found[lane + half]);
    for (; i < count; ++i) found[0] = larger(found[0], x[i]);
    Index nans = 0;  // counted, not searched: that becomes vectors
    for (Index j = 0; j < count; ++j) nans += x[j] != x[j] ? 1 : 0;
    return nans == 0 ? found[0] : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace headway
