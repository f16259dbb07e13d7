#pragma once

#include "grading/course.hpp"

#include "verdict/verdict.hpp"
#include "wire/message.hpp"

#include <optional>
#include <string>

namespace headway::cli {

/// The call at which a hidden test failed, as a test of GoogleTest's that stands on its own: inputs spelled out, and
/// what was found wrong as an expectation, as far as one call shows it.
/// @return nothing if the call cannot be spelled out (it works on objects, or its inputs are too large)
std::optional<std::string> reproducer(const ExerciseInfo& exercise, const verdict::Test& test, const wire::Call& call);

}  // namespace headway::cli
