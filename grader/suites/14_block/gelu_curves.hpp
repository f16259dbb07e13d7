#pragma once

#include <cmath>

// What GELU's two formulas and their derivatives are made of, for the mistakes in them.
namespace headway::diagnosis {

inline const double pi_of_gelu = std::acos(-1.0);
inline constexpr double cubic_of_gelu = 0.044715;

inline double root_2_over_pi() { return std::sqrt(2 / pi_of_gelu); }
/// What tanh is taken of.
inline double inside_tanh(double x) { return root_2_over_pi() * (x + cubic_of_gelu * x * x * x); }
inline double tanh_at(double x) { return std::tanh(inside_tanh(x)); }

}  // namespace headway::diagnosis
