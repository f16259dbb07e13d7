#pragma once

#include <string>
#include <string_view>

#include "report/terminal.hpp"

namespace headway::report {

/// What a reader should think of before it is shown.
enum class Answers { hidden, shown };

/// A lesson's markdown as a terminal shows it: wrapped, headings standing out, comments gone, tables in columns,
/// diagrams as lines of arrows, nothing cut. What is folded away in the source (`<details>`) is an answer.
/// @param how_to_see_answers  stands in the place of a hidden one: "./headway lesson 01 --answers"
std::string render_lesson(std::string_view markdown, Answers answers, const std::string& how_to_see_answers,
                          TerminalStyle style);

}  // namespace headway::report
