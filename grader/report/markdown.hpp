#pragma once

#include <cmark.h>

#include <string>
#include <string_view>
#include <vector>

#include "terminal/table.hpp"

namespace headway::report {

/// Markdown as lessons are written, as CommonMark, which knows neither comments within a line nor formulas: `$...$` is
/// a code span with a mark, `$$` opens and closes a block of code whose language is "math".
std::string as_common_mark(std::string_view markdown);

std::string literal(cmark_node* node);
std::vector<cmark_node*> children(cmark_node* node);

/// What stands in a paragraph. Where a line ends in the source there is a '\n'.
struct Piece {
    Span span;
    bool is_text = false;  ///< neither code nor a formula: `|` in it divides cells
};

/// Formulas are typed. Emphasis is for proportional type and is left out; what is strong has its tone.
std::vector<Piece> pieces_of(cmark_node* node, Tone tone = Tone::plain);
std::vector<Span> spans_of(const std::vector<Piece>& pieces);

/// CommonMark has no tables either: to it they are paragraphs whose lines begin with `|`.
bool is_table(const std::vector<Piece>& pieces);
std::vector<TableRow> table_of(const std::vector<Piece>& pieces);

}  // namespace headway::report
