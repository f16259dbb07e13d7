#include "lesson_view.hpp"

#include <array>
#include <sstream>

#include "page.hpp"

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

/// A short formula, `\\sqrt{D}`, as one would type it: √D.
std::string typed(std::string formula) {
    constexpr std::array<std::array<std::string_view, 2>, 14> signs = {{{"^\\mathsf{T}", "ᵀ"},
                                                                        {"\\cdot", "·"},
                                                                        {"\\times", "×"},
                                                                        {"\\infty", "∞"},
                                                                        {"\\ldots", "…"},
                                                                        {"\\sum", "Σ"},
                                                                        {"\\to", "→"},
                                                                        {"\\sqrt ", "√"},
                                                                        {"\\sqrt", "√"},
                                                                        {"\\mathrm", ""},
                                                                        {"\\mathsf", ""},
                                                                        {"\\text", ""},
                                                                        {"{", ""},
                                                                        {"}", ""}}};
    for (const auto& [from, to] : signs) replace_all(formula, from, to);
    return formula;
}

/// Emphasis is for proportional type, and short formulas are readable without their marks; long ones stay as they are.
std::string plain(std::string line) {
    replace_all(line, "**", "");
    if (line.find("$$") != std::string::npos) return line;
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
            page_.line(0, {{plain(line)}});
        } else if (line.starts_with("![") || line.starts_with("<img") || line.starts_with("<picture")) {
            const std::string alt = line.starts_with('!') ? between(line, "![", "]") : between(line, "alt=\"", "\"");
            page_.paragraph({.hanging = 2}, {{"[figure: " + alt + "]", Tone::faint}});
        } else if (!line.starts_with('<')) {
            const bool in_list = line.starts_with("- ") || line.starts_with("* ");
            page_.paragraph({.hanging = in_list ? 2U : 0U}, {{plain(line)}});
        }
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
