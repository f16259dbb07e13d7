#pragma once

#include <headway/tensor.hpp>

#include <cstdint>

namespace headway {

/// A seeded stream of numbers that is the same on every platform and in every release: no standard distribution is
/// used, and no function whose last bit differs between libraries.   [SplitMix64: Steele, Lea, Flood 2014]
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next();
    /// Uniform in [0, 1), a multiple of 2^-24.
    float uniform();
    /// Uniform in [low, high).
    float uniform(float low, float high);
    /// Uniform in [low, high], both included. @throws std::invalid_argument if high < low
    Index integer(Index low, Index high);
    /// Close to a standard normal: the sum of twelve uniforms less six (Irwin-Hall), so |value| <= 6.
    float normal();

    Tensor uniform(const Shape& shape, float low, float high);
    Tensor normal(const Shape& shape);

private:
    std::uint64_t state_;
};

}  // namespace headway
