#include "report/lesson_page.hpp"

#include <regex>
#include <sstream>

#include "report/lesson_view.hpp"
#include "report/xml.hpp"

namespace headway::report {
namespace {

constexpr std::string_view begin_of_page = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; font-size: 0.95rem; line-height: 1.45; }
img { max-width: 100%; }
summary { cursor: pointer; font-weight: 600; }
</style>
)";

std::string text(const std::string& written) { return xml_escaped(written, XmlContext::text); }

class LessonPage {
public:
    explicit LessonPage(std::string folder) : folder_(std::move(folder)) {}

    void show(const std::string& line) {
        static const std::regex picture(R"(!\[(.*)\]\(([^)]+)\))");
        static const std::regex summary("<summary>(.*)</summary>");
        std::smatch found;
        if (line.starts_with("<details") || line.starts_with("</details")) {
            html(line + "\n");
        } else if (std::regex_match(line, found, summary)) {
            html("<summary>" + text(found[1]) + "</summary>\n");
        } else if (std::regex_match(line, found, picture)) {
            html("<p><img src=\"" + xml_escaped(folder_ + found[2].str(), XmlContext::attribute) + "\" alt=\"" +
                 xml_escaped(found[1].str(), XmlContext::attribute) + "\"></p>\n");
        } else {
            gathered_ += line + "\n";
        }
    }

    std::string take() {
        html("");
        return std::move(page_);
    }

private:
    /// After the lines before it, as the terminal shows them.
    void html(const std::string& part) {
        const std::string lines = render_lesson(gathered_, Answers::shown, "", {});
        gathered_.clear();
        if (lines.find_first_not_of(" \n") != std::string::npos) page_ += "<pre>" + text(lines) + "</pre>\n";
        page_ += part;
    }

    std::string folder_;
    std::string gathered_;
    std::string page_;
};

}  // namespace

std::string lesson_page(std::string_view markdown, const std::string& title, const std::string& folder) {
    LessonPage page(folder);
    std::istringstream lines{std::string(markdown)};
    for (std::string line; std::getline(lines, line);) page.show(line);
    return std::string(begin_of_page) + "<title>" + text(title) + "</title>\n" + page.take() + "</html>\n";
}

}  // namespace headway::report
