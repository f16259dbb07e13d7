#pragma once

// Included before the first line of every submission, precompiled: it holds what most of them include anyway, so that
// compiling costs what the student wrote. It defines no name that a submission could meet, but for the macro below.

#include <headway/given.hpp>
#include <headway/nn.hpp>
#include <headway/tensor.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headway::detail {

[[noreturn]] inline void eigen_assertion_failed(const char* condition, const char* file, int line) {
    throw std::logic_error(std::string("Eigen assertion failed: ") + condition + " (" + file + ":" +
                           std::to_string(line) + ")");
}

#if !defined(__clang__) && defined(__cpp_lib_constexpr_string) && __cpp_lib_constexpr_string >= 201907L
/// Evaluated here, so that GCC instantiates here what the standard headers use of strings; it would do so at the end of
/// every submission, which takes a tenth of the time.
template <class Character>
constexpr bool strings_are_instantiated() {
    const Character text[] = {65, 0};
    std::basic_string<Character> one(text), other(one);
    one += other;
    return one.size() == 2;
}
static_assert(strings_are_instantiated<char>() && strings_are_instantiated<wchar_t>() &&
              strings_are_instantiated<char8_t>() && strings_are_instantiated<char16_t>() &&
              strings_are_instantiated<char32_t>());
#endif

}  // namespace headway::detail

// Compiled once, in prelude.cpp: their code would be a sixth of what compiling a submission costs.
extern template class std::basic_string<char>;
extern template class std::vector<float>;
extern template class std::vector<std::ptrdiff_t>;

/// An assertion of Eigen's fails one call, with its text, instead of ending the process.
#define eigen_assert(condition) \
    ((condition) ? static_cast<void>(0) : headway::detail::eigen_assertion_failed(#condition, __FILE__, __LINE__))
