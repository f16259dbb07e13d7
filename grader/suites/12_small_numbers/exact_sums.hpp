#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace headway::diagnosis {

/// Whether no partial sum in float is rounded, whatever the order: all numbers are whole multiples of one step, and
/// even their sizes together are at most 2^24 of it. (That a float holds the total is not enough: 1 + 2^-24 + 2^-24.)
/// @param numbers  finite, each the `value` of an element   @param size  Σ |value|
template <class Numbers>
bool add_up_exactly(const Numbers& numbers, double size) {
    constexpr int digits_of_double = 53, digits_of_float = 24;
    int step = 900;  // its exponent: larger than any here, for zeros alone
    for (const auto& one : numbers) {
        int exponent = 0;
        const double fraction = std::frexp(std::abs(one.value), &exponent);
        const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, digits_of_double));
        if (digits != 0) step = std::min(step, exponent - digits_of_double + std::countr_zero(digits));
    }
    return size <= std::ldexp(1.0, step + digits_of_float);
}

}  // namespace headway::diagnosis
