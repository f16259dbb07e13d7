#include "report/markdown.hpp"

#include <algorithm>
#include <sstream>

#include "report/formula.hpp"

namespace headway::report {
namespace {

/// Begins a code span that is a formula. A private character: no lesson has it.
constexpr std::string_view formula_mark = "\uE000";

/// Without `<!-- ... -->`, which may stand within a line.
std::string without_comments(std::string_view text) {
    std::string kept;
    while (true) {
        const std::size_t begin = text.find("<!--");
        kept += text.substr(0, begin);
        if (begin == std::string_view::npos) return kept;
        const std::size_t end = text.find("-->", begin);
        if (end == std::string_view::npos) return kept;
        text.remove_prefix(end + 3);
    }
}

/// The parser leaves the text of a code span alone.
std::string with_formulas_as_code(std::string_view line) {
    std::string text;
    while (true) {
        const std::size_t open = line.find_first_of("`$");
        const std::size_t close = open == std::string_view::npos ? open : line.find(line[open], open + 1);
        if (close == std::string_view::npos) return text.append(line);
        text += line.substr(0, open);
        text += '`';
        if (line[open] == '$') text += formula_mark;
        text += line.substr(open + 1, close - open - 1);
        text += '`';
        line.remove_prefix(close + 1);
    }
}

/// Short code and formulas are read at once, so no line ends in them.
std::string on_one_line(const std::string& text) {
    if (text.size() > 30) return text;
    std::string whole;
    for (const char c : text) whole += c == ' ' ? std::string(no_break_space) : std::string(1, c);
    return whole;
}

/// Where a link leads, for a terminal that opens none: a name of arXiv's says that already, a file of the course is
/// here.
void add_address(cmark_node* link, std::vector<Piece>& pieces) {
    constexpr std::string_view scheme = "https://";
    const std::string_view address = cmark_node_get_url(link);
    cmark_node* words = cmark_node_first_child(link);
    if (!address.starts_with(scheme) || (words != nullptr && literal(words).starts_with("arXiv:"))) return;
    pieces.push_back({{" (" + std::string(address.substr(scheme.size())) + ")", Tone::faint}, true});
}

/// Emphasis is for proportional type and is left out; what is strong has its tone.
void add_pieces(cmark_node* parent, Tone tone, std::vector<Piece>& pieces) {
    for (cmark_node* node : children(parent)) {
        switch (cmark_node_get_type(node)) {
            case CMARK_NODE_TEXT:
                pieces.push_back({{literal(node), tone}, true});
                break;
            case CMARK_NODE_SOFTBREAK:
            case CMARK_NODE_LINEBREAK:
                pieces.push_back({{"\n", tone}, true});
                break;
            case CMARK_NODE_CODE: {
                const std::string code = literal(node);
                const bool is_formula = code.starts_with(formula_mark);
                pieces.push_back(
                    {{on_one_line(is_formula ? typed(code.substr(formula_mark.size())) : '`' + code + '`'), tone}});
                break;
            }
            case CMARK_NODE_STRONG:
                add_pieces(node, Tone::strong, pieces);
                break;
            case CMARK_NODE_LINK:
                add_pieces(node, tone, pieces);
                add_address(node, pieces);
                break;
            case CMARK_NODE_IMAGE: {
                std::vector<Piece> words;
                add_pieces(node, Tone::faint, words);
                pieces.push_back({{"[figure: ", Tone::faint}});
                pieces.insert(pieces.end(), words.begin(), words.end());
                pieces.push_back({{"]", Tone::faint}});
                break;
            }
            default:
                add_pieces(node, tone, pieces);
        }
    }
}

void trim(TableCell& cell) {
    if (cell.empty()) return;
    std::string& first = cell.front().text;
    first.erase(0, first.find_first_not_of(' '));
    std::string& last = cell.back().text;
    last.erase(last.find_last_not_of(' ') + 1);
}

bool is_rule(const TableRow& row) {
    return std::ranges::all_of(row, [](const TableCell& cell) {
        return std::ranges::all_of(
            cell, [](const Span& span) { return span.text.find_first_not_of("-: ") == std::string::npos; });
    });
}

}  // namespace

std::string as_common_mark(std::string_view markdown) {
    std::string text;
    std::istringstream lines(without_comments(markdown));
    bool in_code = false;
    bool in_formula = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("$$")) {
            in_formula = !in_formula;
            line = in_formula ? "```math" : "```";
        } else if (line.starts_with("```")) {
            in_code = !in_code;
        } else if (!in_code && !in_formula) {
            line = with_formulas_as_code(line);
        }
        text += line + '\n';
    }
    return text;
}

std::string literal(cmark_node* node) {
    const char* text = cmark_node_get_literal(node);
    return text == nullptr ? "" : text;
}

std::vector<cmark_node*> children(cmark_node* node) {
    std::vector<cmark_node*> all;
    for (cmark_node* child = cmark_node_first_child(node); child != nullptr; child = cmark_node_next(child))
        all.push_back(child);
    return all;
}

std::vector<Piece> pieces_of(cmark_node* node, Tone tone) {
    std::vector<Piece> pieces;
    add_pieces(node, tone, pieces);
    return pieces;
}

std::vector<Span> spans_of(const std::vector<Piece>& pieces) {
    std::vector<Span> spans;
    spans.reserve(pieces.size());
    for (const Piece& piece : pieces) spans.push_back(piece.span);
    return spans;
}

bool is_table(const std::vector<Piece>& pieces) {
    return !pieces.empty() && pieces.front().is_text && pieces.front().span.text.starts_with('|');
}

std::vector<TableRow> table_of(const std::vector<Piece>& pieces) {
    std::vector<TableRow> rows(1);
    for (const auto& [span, is_text] : pieces) {
        if (!is_text) {
            if (rows.back().empty()) rows.back().emplace_back();
            rows.back().back().push_back(span);
            continue;
        }
        for (const char c : span.text) {
            if (c == '\n') {
                rows.emplace_back();
            } else if (c == '|') {
                rows.back().emplace_back();
            } else {
                if (rows.back().empty()) rows.back().emplace_back();
                TableCell& cell = rows.back().back();
                if (cell.empty() || cell.back().tone != span.tone) cell.push_back({"", span.tone});
                cell.back().text += c;
            }
        }
    }
    std::erase_if(rows, is_rule);
    for (TableRow& row : rows) {
        if (!row.empty() && row.back().empty()) row.pop_back();  // past the last `|`
        std::ranges::for_each(row, trim);
    }
    return rows;
}

}  // namespace headway::report
