#pragma once

#include "diagnosis/answer.hpp"

#include <optional>
#include <string>

/// What an answer shows of variables and results that nobody has set.
namespace headway::diagnosis {

/// Whether the number that a local variable holds which was never set stands in it, or what comes of that number.
bool shows_unset_variable(const Answer& seen, const Answer& right);

/// " as its weights", where an undefined tensor or mask was returned in the place of numbers; empty for all of a
/// result.
std::optional<std::string> unassigned_part(const Answer& seen, const Answer& right);

}  // namespace headway::diagnosis
