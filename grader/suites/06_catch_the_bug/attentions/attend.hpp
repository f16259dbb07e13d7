#pragma once

#include <catch_the_bug.hpp>

#include <string>

namespace headway::attentions {

/// What the attention of that name in the roster answers.
/// @throws std::invalid_argument if a shape does not fit   @throws std::out_of_range if there is no such attention
ex06::Attended attend(const std::string& id, const ex06::Inputs& in);

}  // namespace headway::attentions
