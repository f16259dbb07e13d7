#include "lesson_view.hpp"

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

/// Emphasis is for proportional type; the words are the same.
std::string plain(std::string line) {
    for (std::size_t at = line.find("**"); at != std::string::npos; at = line.find("**", at)) line.erase(at, 2);
    return line;
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
            page_.paragraph({}, {{line.substr(line.find_first_not_of("# ")), Tone::strong}});
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
