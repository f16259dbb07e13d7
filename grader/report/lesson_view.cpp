#include "report/lesson_view.hpp"

#include <cmark.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "report/diagram.hpp"
#include "report/formula.hpp"
#include "report/markdown.hpp"
#include "terminal/page.hpp"

namespace headway::report {
namespace {

std::string between(const std::string& text, const std::string& open, const std::string& close) {
    const std::size_t begin = text.find(open);
    if (begin == std::string::npos) return "";
    const std::size_t from = begin + open.size();
    return text.substr(from, text.find(close, from) - from);
}

class Lesson {
public:
    Lesson(Page& page, Answers answers, const std::string& how) : page_(page), answers_(answers), how_(how) {}

    void show(cmark_node* parent, std::size_t indent = 0) {
        for (cmark_node* node : children(parent)) {
            if (cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK)
                fold(literal(node));
            else if (!is_hidden_)
                show_block(node, indent);
        }
    }

private:
    /// What is folded away in the source is an answer.
    void fold(const std::string& html) {
        if (html.starts_with("</details")) is_hidden_ = false;
        if (is_hidden_ || html.find("<summary>") == std::string::npos) return;
        page_.paragraph({.hanging = 2},
                        {{"▸ ", Tone::waiting}, {between(html, "<summary>", "</summary>"), Tone::strong}});
        is_hidden_ = answers_ == Answers::hidden;
        if (is_hidden_) page_.paragraph({.indent = 2}, {{how_ + " shows it", Tone::faint}});
        page_.blank();
    }

    void show_block(cmark_node* node, std::size_t indent) {
        switch (cmark_node_get_type(node)) {
            case CMARK_NODE_HEADING:
                page_.blank();
                page_.paragraph({.indent = indent}, spans_of(pieces_of(node, Tone::strong)));
                break;
            case CMARK_NODE_PARAGRAPH:
                show_paragraph(pieces_of(node), {.indent = indent});
                break;
            case CMARK_NODE_CODE_BLOCK:
                show_code(literal(node), cmark_node_get_fence_info(node), indent);
                break;
            case CMARK_NODE_LIST:
                show_list(node, indent);
                break;
            case CMARK_NODE_THEMATIC_BREAK:
                page_.rule();
                break;
            default:
                show(node, indent + 2);
        }
        page_.blank();
    }

    void show_paragraph(const std::vector<Piece>& pieces, const Page::Paragraph& form) {
        if (is_table(pieces))
            put_table(page_, form.indent + 2, table_of(pieces));
        else
            page_.paragraph(form, spans_of(pieces));
    }

    void show_list(cmark_node* list, std::size_t indent) {
        int number = cmark_node_get_list_start(list);
        for (cmark_node* item : children(list)) {
            const std::string mark = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST
                                         ? std::to_string(number++) + ". "
                                         : std::string("- ");
            bool is_first = true;
            for (cmark_node* part : children(item)) {
                if (is_first && cmark_node_get_type(part) == CMARK_NODE_PARAGRAPH) {
                    std::vector<Piece> pieces = pieces_of(part);
                    pieces.insert(pieces.begin(), Piece{{mark}});
                    show_paragraph(pieces, {.indent = indent, .hanging = mark.size()});
                } else {
                    show_block(part, indent + mark.size());
                }
                is_first = false;
            }
            if (cmark_node_get_list_tight(list) == 0) page_.blank();
        }
    }

    void show_code(const std::string& text, const std::string& language, std::size_t indent) {
        std::vector<std::string> rows;
        std::istringstream lines(language == "math" ? typed(text) : text);
        if (language == "mermaid")
            rows = arrows(text);
        else
            for (std::string row; std::getline(lines, row);) rows.push_back(row);
        const bool is_code = language != "math" && language != "mermaid";
        // At the left edge if only that makes it fit; else on several lines. Nothing is cut.
        const auto fits = [&](const std::string& row) { return page_.fits(indent, row); };
        std::size_t left = indent + 4;
        while (left > indent &&
               !std::ranges::all_of(rows, [&](const std::string& row) { return page_.fits(left, row) || !fits(row); }))
            --left;
        for (const std::string& row : rows) {
            if (row.find_first_not_of(' ') == std::string::npos) {
                if (is_code) page_.blank();
            } else if (is_code && fits(row)) {
                page_.line(left, {{row}});
            } else {
                page_.paragraph({.indent = is_code ? indent : indent + 4, .hanging = 4}, {{row}});
            }
        }
    }

    Page& page_;
    Answers answers_;
    const std::string& how_;
    bool is_hidden_ = false;
};

}  // namespace

std::string render_lesson(std::string_view markdown, Answers answers, const std::string& how_to_see_answers,
                          TerminalStyle style) {
    style.verbose = true;  // nothing is cut short
    const std::string text = as_common_mark(markdown);
    const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document(
        cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT | CMARK_OPT_VALIDATE_UTF8), &cmark_node_free);
    if (!document) throw std::runtime_error("the lesson is too large for this machine's memory");
    Page page(style);
    Lesson(page, answers, how_to_see_answers).show(document.get());
    return page.take();
}

}  // namespace headway::report
