#include "labs/cost/halves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace headway::lab {
namespace {

constexpr int fraction_bits = 10, bias = 15, least_exponent = -14;
constexpr std::uint16_t of_infinity = 0x7C00, of_sign = 0x8000;

std::uint16_t bits_of(float x) {
    const float size = std::abs(x);
    const std::uint16_t sign = std::signbit(x) ? of_sign : std::uint16_t{0};
    if (std::isinf(size)) return sign | of_infinity;
    const int exponent = size == 0 ? least_exponent : std::max(std::ilogb(size), least_exponent);
    // Steps from 0 on. A number of 2^10 steps or more has an exponent of its own; its first bit is not kept.
    const auto steps = static_cast<int>(std::ldexp(size, fraction_bits - exponent));
    return static_cast<std::uint16_t>(sign + ((exponent + bias - 1) << fraction_bits) + steps);
}

float number_of(std::uint16_t bits) {
    const int exponent = (bits & of_infinity) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
    const float size = exponent == 31  ? std::numeric_limits<float>::infinity()
                       : exponent == 0 ? std::ldexp(static_cast<float>(fraction), least_exponent - fraction_bits)
                                       : std::ldexp(static_cast<float>(fraction + (1 << fraction_bits)),
                                                    exponent - bias - fraction_bits);
    return (bits & of_sign) != 0 ? -size : size;
}

/// All 65,536 of them: quicker to look up than to compute.
const std::vector<float>& all_halves() {
    static const std::vector<float> all = [] {
        std::vector<float> numbers;
        for (std::uint32_t bits = 0; bits <= std::numeric_limits<std::uint16_t>::max(); ++bits)
            numbers.push_back(number_of(static_cast<std::uint16_t>(bits)));
        return numbers;
    }();
    return all;
}

}  // namespace

Halves in_halves(const Tensor& x) {
    const Tensor dense = x.contiguous();
    Halves halves{x.shape(), std::vector<std::uint16_t>(static_cast<std::size_t>(x.numel()))};
    std::transform(dense.data(), dense.data() + dense.numel(), halves.bits.begin(), &bits_of);
    return halves;
}

Tensor from_halves(const Halves& halves) {
    Tensor x = Tensor::empty(halves.shape);
    const std::vector<float>& numbers = all_halves();
    std::transform(halves.bits.begin(), halves.bits.end(), x.data(), [&](std::uint16_t bits) { return numbers[bits]; });
    return x;
}

Halves appended(const Halves& old, const Halves& fresh) {
    Halves both{old.shape, {}};
    both.shape[2] += fresh.shape[2];
    both.bits.reserve(old.bits.size() + fresh.bits.size());
    const Index heads = old.shape[0] * old.shape[1];
    const auto add = [&](const Halves& part, Index head) {
        const Index numbers = part.shape[2] * part.shape[3];
        both.bits.insert(both.bits.end(), part.bits.begin() + head * numbers, part.bits.begin() + (head + 1) * numbers);
    };
    for (Index head = 0; head < heads; ++head) {
        add(old, head);
        add(fresh, head);
    }
    return both;
}

}  // namespace headway::lab
