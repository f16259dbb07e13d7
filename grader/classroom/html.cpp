#include "classroom/html.hpp"

#include "report/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::classroom {
namespace {

std::string number_class(bool is_number) { return is_number ? "n" : ""; }

/// "How many: 3 at 0 %, 1 at 10 %", for those who do not see the bars.
std::string in_words(std::string_view title, const std::vector<Html::Bar>& bars) {
    std::string words = std::string(title) + ": ";
    for (const Html::Bar& bar : bars)
        words += fmt::format("{}{} at {}", &bar == bars.data() ? "" : ", ", bar.count, bar.label);
    return words;
}

}  // namespace

Html::Html(std::string_view title, std::string_view more_style) : page_("<!DOCTYPE html>\n"), heading_(title) {
    page_.open("html", {{"lang", "en"}});
    report::write_head(page_, std::string(title), std::string(more_style));
    page_.open("body");
    page_.open("main");
    page_.text("h1", {}, title);
}

Html& Html::heading(std::string_view text) {
    page_.text("h2", {}, text);
    heading_ = text;
    return *this;
}

Html& Html::paragraph(std::string_view text) {
    page_.text("p", {}, text);
    return *this;
}

Html& Html::link(std::string_view target, std::string_view text) {
    page_.open("p");
    page_.text("a", {{"href", std::string(target)}}, text);
    page_.close();
    return *this;
}

Html& Html::code(std::string_view text) {
    page_.text("pre", {}, text);
    return *this;
}

void Html::cell(const Cell& cell) {
    if (cell.link.empty() && cell.more.empty()) {
        page_.text("td", {{"class", number_class(cell.is_number)}}, cell.text);
        return;
    }
    page_.open("td", {{"class", number_class(cell.is_number)}});
    if (cell.link.empty()) page_.words(cell.text);
    if (!cell.link.empty()) page_.text("a", {{"href", cell.link}}, cell.text);
    if (!cell.more.empty()) {
        page_.open("ul");
        for (const std::string& line : cell.more) page_.text("li", {}, line);
        page_.close();
    }
    page_.close();
}

Html& Html::table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows) {
    page_.open("div", {{"class", "list"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", heading_}});
    page_.open("table");
    page_.open("thead");
    page_.open("tr");
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const bool is_number = !rows.empty() && i < rows.front().size() && rows.front()[i].is_number;
        if (headings[i].empty()) page_.text("td", {}, "");
        if (!headings[i].empty()) page_.text("th", {{"scope", "col"}, {"class", number_class(is_number)}}, headings[i]);
    }
    page_.close();
    page_.close();
    page_.open("tbody");
    for (const auto& row : rows) {
        page_.open("tr");
        for (const Cell& one : row) cell(one);
        page_.close();
    }
    page_.close();
    page_.close();
    page_.close();
    return *this;
}

Html& Html::bars(std::string_view title, const std::vector<Bar>& bars) {
    constexpr std::size_t step = 38;  // ten of them are as wide as a telephone
    constexpr double height = 120;
    const auto at = [](double place) { return fmt::format("{:.1f}", place); };
    std::size_t most = 1;
    for (const Bar& bar : bars) most = std::max(most, bar.count);
    const std::size_t width = bars.size() * step;
    page_.open("svg", {{"class", "bars"},
                       {"role", "img"},
                       {"aria-label", in_words(title, bars)},
                       {"viewBox", fmt::format("0 0 {} {}", width, at(height + 40))}});
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double tall = height * static_cast<double>(bars[i].count) / static_cast<double>(most);
        const double x = static_cast<double>(i * step);
        const std::string middle = at(x + step / 2.0);
        page_.empty("rect", {{"x", at(x + 3)},
                             {"y", at(20 + height - tall)},
                             {"width", std::to_string(step - 6)},
                             {"height", at(tall)}});
        page_.text("text", {{"x", middle}, {"y", at(14 + height - tall)}, {"text-anchor", "middle"}},
                   std::to_string(bars[i].count));
        page_.text("text", {{"x", middle}, {"y", at(height + 36)}, {"text-anchor", "middle"}}, bars[i].label);
    }
    page_.close();
    return *this;
}

Html& Html::exercise(const verdict::Exercise& exercise) {
    report::write_exercise(page_, exercise, "exercises");
    return *this;
}

std::string Html::take() {
    page_.close();
    page_.close();
    page_.close();
    return page_.take();
}

}  // namespace headway::classroom
