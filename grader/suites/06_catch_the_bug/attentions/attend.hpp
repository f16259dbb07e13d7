#pragma once

#include <catch_the_bug.hpp>

#include <cstdint>
#include <string>

namespace headway::attentions {

/// What the attention of that name in the roster answers.
/// @param seed  of its habits, see habits.hpp
/// @throws std::invalid_argument if a shape does not fit   @throws std::out_of_range if there is no such attention
ex06::Attended attend(const std::string& id, const ex06::Inputs& in, std::uint64_t seed = 0);

}  // namespace headway::attentions
