#pragma once

#include <string>
#include <vector>

#include "terminal/style.hpp"
#include "verdict/verdict.hpp"

/// What a student sees of a Verdict.
namespace headway::report {

/// The whole verdict: each exercise with its points, what is wrong in it, and the next command to type.
/// Whatever a submission prints, throws or is named, the text holds no control characters but line ends
/// (and, with colour, the colours chosen here). Once all of it passes, what is next is told from the `course`: where
/// the student is in each exercise, if that is known.
std::string render(const verdict::Verdict& verdict, const TerminalStyle& style,
                   const std::vector<verdict::Exercise>& course = {});

/// Where the student is, and what is next. An exercise without results (only number, name, title and max_points are
/// set) has not been graded yet.
std::string render_status(const std::vector<verdict::Exercise>& exercises, const TerminalStyle& style);

}  // namespace headway::report
