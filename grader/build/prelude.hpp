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

}  // namespace headway::detail

/// An assertion of Eigen's fails one call, with its text, instead of ending the process.
#define eigen_assert(condition) \
    ((condition) ? static_cast<void>(0) : headway::detail::eigen_assertion_failed(#condition, __FILE__, __LINE__))
