#include "classroom/html.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::classroom {
namespace {

constexpr const char* style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;"
    "background:#fff}table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;text-align:left;"
    "border-bottom:1px solid #ddd;vertical-align:top}td.n,th.n{text-align:right}pre{background:#f4f4f4;padding:.75rem;"
    "overflow:auto;white-space:pre-wrap}h2{margin-top:2.5rem}svg text{font:12px system-ui,sans-serif;fill:currentColor}"
    "svg rect{fill:#4a7ab5}a{color:#1f5fa8}@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}"
    "pre{background:#242424}th,td{border-color:#444}a{color:#8ab8f0}}";

std::string number_class(bool is_number) { return is_number ? "n" : ""; }

}  // namespace

Html::Html(std::string_view title, std::string_view more_style) : page_("<!DOCTYPE html>\n") {
    page_.open("html", {{"lang", "en"}});
    page_.open("head");
    page_.empty("meta", {{"charset", "utf-8"}});
    page_.empty("meta", {{"name", "viewport"}, {"content", "width=device-width"}});
    page_.text("title", {}, title);
    page_.text("style", {}, std::string(style) + std::string(more_style));
    page_.close();
    page_.open("body");
    page_.text("h1", {}, title);
}

Html& Html::heading(std::string_view text) {
    page_.text("h2", {}, text);
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

Html& Html::table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows) {
    page_.open("table");
    page_.open("thead");
    page_.open("tr");
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const bool is_number = !rows.empty() && i < rows.front().size() && rows.front()[i].is_number;
        page_.text("th", {{"class", number_class(is_number)}}, headings[i]);
    }
    page_.close();
    page_.close();
    page_.open("tbody");
    for (const auto& row : rows) {
        page_.open("tr");
        for (const Cell& cell : row) {
            if (cell.link.empty()) {
                page_.text("td", {{"class", number_class(cell.is_number)}}, cell.text);
                continue;
            }
            page_.open("td", {{"class", number_class(cell.is_number)}});
            page_.text("a", {{"href", cell.link}}, cell.text);
            page_.close();
        }
        page_.close();
    }
    page_.close();
    page_.close();
    return *this;
}

Html& Html::bars(std::string_view title, const std::vector<Bar>& bars) {
    constexpr std::size_t step = 56;
    constexpr double height = 140;
    const auto at = [](double place) { return fmt::format("{:.1f}", place); };
    std::size_t most = 1;
    for (const Bar& bar : bars) most = std::max(most, bar.count);
    page_.open("svg", {{"role", "img"},
                       {"aria-label", std::string(title)},
                       {"width", std::to_string(bars.size() * step)},
                       {"height", at(height + 40)}});
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double tall = height * static_cast<double>(bars[i].count) / static_cast<double>(most);
        const double x = static_cast<double>(i * step);
        const std::string middle = at(x + step / 2.0);
        page_.empty("rect", {{"x", at(x + 4)},
                             {"y", at(20 + height - tall)},
                             {"width", std::to_string(step - 8)},
                             {"height", at(tall)}});
        page_.text("text", {{"x", middle}, {"y", at(14 + height - tall)}, {"text-anchor", "middle"}},
                   std::to_string(bars[i].count));
        page_.text("text", {{"x", middle}, {"y", at(height + 36)}, {"text-anchor", "middle"}}, bars[i].label);
    }
    page_.close();
    return *this;
}

std::string Html::take() {
    page_.close();
    page_.close();
    return page_.take();
}

}  // namespace headway::classroom
