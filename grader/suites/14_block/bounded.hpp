#pragma once

#include "reference/array.hpp"

#include <span>
#include <vector>

/// Numbers with error bounds, one by one: see reference::Array.
namespace headway::diagnosis {

struct Bounded {
    double value = 0, error = 0;
};

Bounded operator+(const Bounded& a, const Bounded& b);
Bounded operator-(const Bounded& a, const Bounded& b);
Bounded operator*(const Bounded& a, const Bounded& b);
Bounded operator/(const Bounded& a, const Bounded& b);
/// As if what is below 0 were 0.
Bounded root_of(const Bounded& a);
/// In whatever order.
Bounded total_of(std::span<const Bounded> all);
/// What must be exact: a factor, a count.
inline Bounded exactly(double value) { return {value, 0}; }

inline Bounded element(const reference::Array& array, std::size_t i) { return {array.value.at(i), array.error.at(i)}; }
inline void put_element(reference::Array& array, std::size_t i, const Bounded& number) {
    array.value.at(i) = number.value;
    array.error.at(i) = number.error;
}

/// Element by element, of the same shape.
reference::Array products(const reference::Array& a, const reference::Array& b);
/// (B, T, D) -> (D): the sum over all tokens
reference::Array over_tokens(const reference::Array& x);

}  // namespace headway::diagnosis
