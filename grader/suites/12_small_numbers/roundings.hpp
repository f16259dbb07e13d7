#pragma once

#include "suites/12_small_numbers/sixteen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// What mistakes in rounding to a format are made of (exercise 12).
namespace headway::diagnosis {

inline double step_at(double x, const Digits& format) {
    return std::ldexp(1.0, std::max(std::ilogb(x), format.least_exponent) - format.fraction_bits);
}

/// What is beyond the largest becomes an infinity.
inline double ended(double x, const Digits& format) {
    return std::abs(x) > format.largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : x;
}

inline double right_of(double x, const Digits& format) { return Halves::right().nearest(x, format); }

inline bool is_half(const Digits& format) { return format.fraction_bits > bfloat16_digits.fraction_bits + 1; }

template <double (*other)(double, const Digits&)>
double in_half_alone(double x, const Digits& format) {
    return is_half(format) ? other(x, format) : right_of(x, format);
}
template <double (*other)(double, const Digits&)>
double in_bfloat16_alone(double x, const Digits& format) {
    return is_half(format) ? right_of(x, format) : other(x, format);
}

template <double (*nearest)(double, const Digits&)>
void rounds(Choices& c) {
    c.change<Halves>().nearest = nearest;
}

}  // namespace headway::diagnosis
