#pragma once

#include <map>
#include <string>
#include <vector>

namespace headway::cli {

/// A text that stands exactly once in a program, and what stands there in the changed one.
struct Edit {
    std::string was;
    std::string is;
};

/// What is different in a program that was made from another.
struct Changes {
    std::vector<Edit> edits;
    /// function's name ("forward", "Heads::merge") -> what replaces its definition and the comment above it;
    /// helpers may come with it, and nothing takes it out
    std::map<std::string, std::string> replaces;
};

/// The program with these changes. All of them are looked for in `base` as it is, so their order does not matter.
/// A function ends with the first closing brace as far to the left as its beginning: bases are formatted.
/// @throws std::invalid_argument if a text or a function does not stand there exactly once, or two changes overlap
std::string changed_program(const std::string& base, const Changes& changes);

}  // namespace headway::cli
