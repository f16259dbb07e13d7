#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Text as a terminal shows it: glyphs with a width in columns. Making cells is where text from a submission becomes
/// harmless, and cells are the only thing that a page accepts: no escape sequence reaches the terminal.
namespace headway::report {

enum class Tone { plain, strong, faint, good, bad, waiting };

enum class Alphabet { unicode, ascii };

struct Span {
    std::string text;
    Tone tone = Tone::plain;
};

struct Cell {
    std::string glyph;
    std::size_t columns = 1;
    Tone tone = Tone::plain;
};

using Cells = std::vector<Cell>;

/// Holds words together where a line may wrap; shown as a space.
inline constexpr std::string_view no_break_space = "\u00A0";

/// Lines of `text`. Tabs become spaces; control, bidirectional and invisible characters are spelled out (`\x1b`,
/// `\u202e`), what is not UTF-8 is U+FFFD, and marks cannot pile up on one glyph.
/// In the ASCII alphabet mathematical signs are spelled out (`sqrt(head_dim)`), everything else foreign is `?`.
std::vector<Cells> safe_lines(std::string_view text, Alphabet alphabet, Tone tone = Tone::plain);

/// safe_lines() in one line: line ends become spaces.
Cells safe_line(const std::vector<Span>& spans, Alphabet alphabet);

std::size_t columns(const Cells& cells);

/// Columns that `code_point` takes: 0, 1 or 2. Where terminals disagree it is the larger number.
std::size_t columns(char32_t code_point);

/// Breaks at spaces, and within a word only if it is wider than a line: of a path behind a slash, which leaves
/// FILE:LINE:COLUMN whole.
std::vector<Cells> wrap(const Cells& cells, std::size_t first_width, std::size_t width);

/// Not wider than `width`; an ellipsis shows that something is missing.
Cells cut(Cells cells, std::size_t width, Alphabet alphabet);

}  // namespace headway::report
