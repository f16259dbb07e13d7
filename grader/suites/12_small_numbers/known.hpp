#pragma once

#include "suites/12_small_numbers/sixteen.hpp"

#include "diagnosis/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

/// What sums, softmax and attention in sixteen bits are computed with (exercise 12).
namespace headway::diagnosis {

inline double cut_off(double x) {
    const double step = std::ldexp(1.0, std::max(std::ilogb(x), bfloat16_digits.least_exponent) - 7);
    return std::trunc(x / step) * step;
}

/// A number that is known up to its two ends. All that is done with it grows or falls where it grows.
struct Known {
    double low, value, high;

    static Known exactly(double x) { return {x, x, x}; }
    static Known of(const Array& array, std::size_t i) {
        const double x = array.value[i], error = array.error[i];
        return error > 0 && std::isfinite(x) ? Known{x - error, x, x + error} : exactly(x);
    }
    bool is_open() const { return low != high; }
    double error() const {
        if (!std::isfinite(value)) return 0;
        const double off = std::max(value - low, high - value);
        return off >= 0 ? off : 0;
    }
};

/// One number after the other, in a format or in float.
class Rounding {
public:
    Rounding(const Halves& choices, bool to_half) : choices_(choices), to_half_(to_half) {}

    double operator()(double x) const {
        if (x == 0 || !std::isfinite(x)) return x;
        if (!to_half_ && choices_.cuts_bfloat16) return cut_off(x);
        return choices_.nearest(x, to_half_ ? choices_.half : choices_.bfloat16);
    }
    Known operator()(const Known& x) const {
        if (!x.is_open()) return Known::exactly((*this)(x.value));
        return {(*this)(x.low), (*this)(x.value), (*this)(x.high)};
    }
    Array operator()(const Array& x) const {
        Array result = zeros(x.shape);
        for (std::size_t i = 0; i < x.value.size(); ++i) {
            const Known number = (*this)(Known::of(x, i));
            result.value[i] = number.value;
            result.error[i] = number.error();
        }
        return result;
    }

private:
    const Halves& choices_;
    bool to_half_;
};

inline Known sum_of(const Known& a, const Known& b) { return {a.low + b.low, a.value + b.value, a.high + b.high}; }

}  // namespace headway::diagnosis
