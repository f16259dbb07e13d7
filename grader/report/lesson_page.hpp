#pragma once

#include <string>
#include <string_view>

namespace headway::report {

/// A lesson as a page for a browser, where what sets its formulas is missing: pictures, answers to unfold, and all text
/// as the terminal shows it.
/// @param folder  what comes before the paths of pictures: "file:///home/me/headway/lessons/"
std::string lesson_page(std::string_view markdown, const std::string& title, const std::string& folder);

}  // namespace headway::report
