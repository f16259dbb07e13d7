#pragma once

#include "verdict/verdict.hpp"

#include <string>
#include <string_view>

namespace headway::build {

/// A compiler's words without what a beginner did not write: the course's namespaces, what a type is "aka", curly
/// quotes.
std::string shortened(std::string_view words);

/// The course's sentence on an error or a warning that beginners meet; empty if there is none.
std::string advice_on(const verdict::CompilerMessage& message);

}  // namespace headway::build
