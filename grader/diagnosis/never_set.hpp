#pragma once

#include "diagnosis/answer.hpp"

#include <optional>
#include <string>
#include <string_view>

/// What an answer shows of variables and results that nobody has set.
namespace headway::diagnosis {

/// Whether the number that a local variable holds which was never set stands in it, or what comes of that number.
bool shows_unset_variable(const Answer& seen, const Answer& right);

/// What was returned in the place of numbers, and which mistake that is.
struct Unassigned {
    std::string_view mistake;
    std::string words;  ///< "a Tensor{} as its weights"
};
std::optional<Unassigned> unassigned_part(const Answer& seen, const Answer& right);

}  // namespace headway::diagnosis
