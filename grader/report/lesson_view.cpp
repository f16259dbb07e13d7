#include "report/lesson_view.hpp"

#include <regex>
#include <sstream>

#include "report/formula.hpp"
#include "terminal/page.hpp"

namespace headway::report {
namespace {

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

std::string between(const std::string& text, const std::string& open, const std::string& close) {
    const std::size_t begin = text.find(open);
    if (begin == std::string::npos) return "";
    const std::size_t from = begin + open.size();
    return text.substr(from, text.find(close, from) - from);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Emphasis is for proportional type, and formulas are readable without their marks.
std::string plain(std::string line) {
    static const std::regex italic(R"(\*([^\s*][^*]*[^\s*]|[^\s*])\*)");
    static const std::regex link(R"(\[([^\]]+)\]\([^)]+\))");
    replace_all(line, "**", "");
    line = std::regex_replace(std::regex_replace(line, link, "$1"), italic, "$1");
    std::string text;
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t open = line.find('$', begin);
        const std::size_t close = open == std::string::npos ? open : line.find('$', open + 1);
        if (close == std::string::npos) return text + line.substr(begin);
        text += line.substr(begin, open - begin) + typed(line.substr(open + 1, close - open - 1));
        begin = close + 1;
    }
    return text;
}

class Lesson {
public:
    Lesson(Page& page, Answers answers, const std::string& how) : page_(page), answers_(answers), how_(how) {}

    void show(const std::string& line) {
        if (line.starts_with("```")) {
            in_code_ = !in_code_;
            in_diagram_ = in_code_ && line.starts_with("```mermaid");
            if (in_diagram_ && !hidden_) page_.paragraph({.indent = 4}, {{"[diagram: with --open]", Tone::faint}});
        } else if (line.starts_with("$$") && !hidden_) {
            in_formula_ = !in_formula_;
        } else if (in_diagram_) {
            // boxes and arrows, which no text is
        } else if (in_formula_ && !hidden_) {
            std::istringstream rows(typed(line));
            for (std::string row; std::getline(rows, row);)
                if (row.find_first_not_of(' ') != std::string::npos)
                    page_.paragraph({.indent = 4, .hanging = 4}, {{row}});
        } else if (line.starts_with("</details>")) {
            hidden_ = false;
        } else if (hidden_ || line.starts_with("<details")) {
            // the summary says what was folded away
        } else if (in_code_) {
            page_.line(4, {{line}});
        } else {
            show_text(line);
        }
        if (!in_code_ && line.find("<summary>") != std::string::npos)
            show_summary(between(line, "<summary>", "</summary>"));
    }

private:
    void show_text(const std::string& line) {
        if (line.empty()) {
            page_.blank();
        } else if (line.starts_with('#')) {
            page_.blank();
            page_.paragraph({}, {{plain(line.substr(line.find_first_not_of("# "))), Tone::strong}});
        } else if (line.starts_with('|')) {
            show_row(line);
        } else if (line.starts_with("![") || line.starts_with("<img") || line.starts_with("<picture")) {
            const std::string alt = line.starts_with('!') ? between(line, "![", "](") : between(line, "alt=\"", "\"");
            page_.paragraph({.hanging = 2}, {{"[figure: " + alt + "]", Tone::faint}});
        } else if (!line.starts_with('<')) {
            const bool in_list = line.starts_with("- ") || line.starts_with("* ");
            page_.paragraph({.hanging = in_list ? 2U : 0U}, {{plain(line)}});
        }
    }

    /// A row of a table, which may be wider than the page.
    void show_row(const std::string& line) {
        if (line.find_first_not_of("|-: ") == std::string::npos) return;
        std::string cells;
        std::istringstream row(line.substr(1));
        for (std::string cell; std::getline(row, cell, '|');) {
            const std::size_t begin = cell.find_first_not_of(' ');
            if (begin == std::string::npos) continue;
            cells += (cells.empty() ? "" : "  |  ") + cell.substr(begin, cell.find_last_not_of(' ') - begin + 1);
        }
        page_.paragraph({.indent = 2, .hanging = 2}, {{plain(cells)}});
    }

    void show_summary(const std::string& summary) {
        page_.paragraph({.hanging = 2}, {{"▸ ", Tone::waiting}, {summary, Tone::strong}});
        if (answers_ == Answers::shown) return;
        page_.paragraph({.indent = 2}, {{how_ + " shows it", Tone::faint}});
        hidden_ = true;
    }

    Page& page_;
    Answers answers_;
    const std::string& how_;
    bool in_code_ = false;
    bool in_diagram_ = false;
    bool in_formula_ = false;
    bool hidden_ = false;
};

}  // namespace

std::string render_lesson(std::string_view markdown, Answers answers, const std::string& how_to_see_answers,
                          TerminalStyle style) {
    style.verbose = true;  // nothing is cut short
    Page page(style);
    Lesson lesson(page, answers, how_to_see_answers);
    std::istringstream lines(without_comments(markdown));
    for (std::string line; std::getline(lines, line);) lesson.show(line);
    return page.take();
}

}  // namespace headway::report
