#pragma once

#include "verdict/verdict.hpp"
#include "wire/message.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

/// For a mistake of handling the tensor library that the library refused, told by its own words: what to change, in a
/// sentence or two. Nothing where the words are not exactly the library's, or do not tell which mistake it is.
/// @param function   that was called and threw: what a slice must not reach past may go on at its beginning
/// @param arguments  of this call: an index may be meant for another axis of theirs
std::optional<std::string> what_to_change(const wire::Error& error, const std::string& function,
                                          const std::vector<wire::Field>& arguments);

/// For what a sanitizer saw in `function`, where its report tells which mistake it is.
std::optional<std::string> what_to_change(const verdict::SanitizerReport& report, const std::string& function);

}  // namespace headway::judge
