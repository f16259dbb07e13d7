#include "report/diagram.hpp"

#include <map>
#include <regex>
#include <sstream>

namespace headway::report {
namespace {

std::string without_quotes(std::string text) {
    if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
    static const std::regex line_end("<br/?>");
    return std::regex_replace(text, line_end, ", ");
}

struct Arrow {
    std::string from;
    std::string beside;
    std::string to;
};

const std::string box_form = R"re((\w+)(?:\[("[^"]*"|[^\]]*)\])?)re";
const std::string arrow_form = R"re(\s*(?:-->\s*\|([^|]*)\||--\s+("[^"]*")\s+-->|-->)\s*)re";

}  // namespace

std::vector<std::string> arrows(std::string_view mermaid) {
    static const std::regex box("^\\s*" + box_form);
    static const std::regex arrow("^" + arrow_form + box_form);
    std::map<std::string, std::string> texts;  // a box may get its text after the first arrow that leads to it
    std::vector<Arrow> found;
    std::istringstream lines{std::string(mermaid)};
    for (std::string line; std::getline(lines, line);) {
        std::smatch first;
        if (!std::regex_search(line, first, box)) continue;
        if (first[2].matched) texts[first[1]] = without_quotes(first[2]);
        std::string from = first[1];
        std::string rest = first.suffix();
        for (std::smatch next; std::regex_search(rest, next, arrow);) {
            if (next[4].matched) texts[next[3]] = without_quotes(next[4]);
            found.push_back({from, without_quotes(next[1].matched ? next[1] : next[2]), next[3]});
            from = next[3];
            rest = std::string(next.suffix());
        }
    }
    const auto text_of = [&](const std::string& name) { return texts.contains(name) ? texts.at(name) : name; };
    std::vector<std::string> told;
    for (const Arrow& each : found)
        told.push_back(text_of(each.from) + " → " + text_of(each.to) +
                       (each.beside.empty() ? "" : "   [" + each.beside + "]"));
    return told;
}

}  // namespace headway::report
