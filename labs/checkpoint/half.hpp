#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace headway::lab {

/// IEEE 754 binary16: a sign, five bits of exponent, ten of fraction.
inline float float_of_half(std::uint16_t half) {
    const int exponent = half >> 10U & 31U;
    const auto fraction = static_cast<float>(half & 1023U);
    const float sign = (half >> 15U) != 0 ? -1.0F : 1.0F;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    if (exponent < 31) return sign * std::ldexp(1024.0F + fraction, exponent - 25);
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace headway::lab
