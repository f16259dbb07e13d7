#include <headway/random.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace headway {

std::uint64_t Random::next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

float Random::uniform() { return static_cast<float>(next() >> 40U) * 0x1p-24F; }

float Random::uniform(float low, float high) {
    if (!(low <= high))
        throw std::invalid_argument("uniform: [" + std::to_string(low) + ", " + std::to_string(high) + ") is empty");
    const double width = static_cast<double>(high) - static_cast<double>(low);
    const auto value = static_cast<float>(static_cast<double>(low) + width * static_cast<double>(uniform()));
    return value < high || low == high ? value : std::nextafter(high, low);  // it may have been rounded up to `high`
}

Index Random::integer(Index low, Index high) {
    if (high < low)
        throw std::invalid_argument("integer: [" + std::to_string(low) + ", " + std::to_string(high) + "] is empty");
    const std::uint64_t count = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    std::uint64_t draw = next();
    if (count != 0) {  // 0 stands for all 2^64 values
        // 2^64 is rarely a multiple of `count`; without the surplus every remainder is equally likely.
        const std::uint64_t surplus = (0 - count) % count;
        while (draw < surplus) draw = next();
        draw %= count;
    }
    return static_cast<Index>(static_cast<std::uint64_t>(low) + draw);
}

float Random::normal() {
    double total = -6.0;
    for (int i = 0; i < 12; ++i) total += static_cast<double>(uniform());  // exact: all are multiples of 2^-24
    return static_cast<float>(total);
}

Tensor Random::uniform(const Shape& shape, float low, float high) {
    Tensor tensor = Tensor::empty(shape);
    for (Index i = 0; i < tensor.numel(); ++i) tensor.data()[i] = uniform(low, high);
    return tensor;
}

Tensor Random::normal(const Shape& shape) {
    Tensor tensor = Tensor::empty(shape);
    for (Index i = 0; i < tensor.numel(); ++i) tensor.data()[i] = normal();
    return tensor;
}

}  // namespace headway
