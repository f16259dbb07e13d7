#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string_view>

namespace headway::build {

/// std::regex recurses once a character, and a submission may have its compiler say any number of them: what is found
/// is found within so many bytes.
inline constexpr std::size_t most_searched = 600;

/// The first match in the beginning of `text`. Every regular expression for what a submission may have written is
/// searched here (`rooms.Rooms.*` says where not). @param text  outlives the match
std::optional<std::cmatch> found_in(std::string_view text, const std::regex& pattern);

}  // namespace headway::build
