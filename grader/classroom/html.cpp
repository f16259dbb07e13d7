#include "classroom/html.hpp"

#include "report/xml.hpp"

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

std::string safe(std::string_view text) { return report::xml_escaped(text, report::XmlContext::text); }
std::string safe_attribute(std::string_view text) { return report::xml_escaped(text, report::XmlContext::attribute); }

std::string cell(const Html::Cell& cell) {
    const std::string text = cell.link.empty()
                                 ? safe(cell.text)
                                 : fmt::format("<a href=\"{}\">{}</a>", safe_attribute(cell.link), safe(cell.text));
    return fmt::format("<td{}>{}</td>", cell.is_number ? " class=\"n\"" : "", text);
}

}  // namespace

Html::Html(std::string_view title)
    : document_(
          fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{1}</style>"
                      "</head><body>\n<h1>{0}</h1>\n",
                      safe(title), style)) {}

Html& Html::heading(std::string_view text) {
    document_ += fmt::format("<h2>{}</h2>\n", safe(text));
    return *this;
}

Html& Html::paragraph(std::string_view text) {
    document_ += fmt::format("<p>{}</p>\n", safe(text));
    return *this;
}

Html& Html::link(std::string_view target, std::string_view text) {
    document_ += fmt::format("<p><a href=\"{}\">{}</a></p>\n", safe_attribute(target), safe(text));
    return *this;
}

Html& Html::code(std::string_view text) {
    document_ += fmt::format("<pre>{}</pre>\n", safe(text));
    return *this;
}

Html& Html::table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows) {
    document_ += "<table><thead><tr>";
    for (std::size_t i = 0; i < headings.size(); ++i) {
        const bool is_number = !rows.empty() && i < rows.front().size() && rows.front()[i].is_number;
        document_ += fmt::format("<th{}>{}</th>", is_number ? " class=\"n\"" : "", safe(headings[i]));
    }
    document_ += "</tr></thead><tbody>\n";
    for (const auto& row : rows) {
        document_ += "<tr>";
        for (const Cell& one : row) document_ += cell(one);
        document_ += "</tr>\n";
    }
    document_ += "</tbody></table>\n";
    return *this;
}

Html& Html::bars(std::string_view title, const std::vector<Bar>& bars) {
    constexpr std::size_t step = 56;
    constexpr double height = 140;
    std::size_t most = 1;
    for (const Bar& bar : bars) most = std::max(most, bar.count);
    document_ += fmt::format("<svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\">", safe_attribute(title),
                             bars.size() * step, height + 40);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double tall = height * static_cast<double>(bars[i].count) / static_cast<double>(most);
        const double x = static_cast<double>(i * step);
        document_ += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"></rect>", x + 4,
                                 20 + height - tall, step - 8, tall);
        document_ += fmt::format("<text x=\"{0}\" y=\"{1:.1f}\" text-anchor=\"middle\">{2}</text>", x + step / 2.0,
                                 14 + height - tall, bars[i].count);
        document_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x + step / 2.0,
                                 height + 36, safe(bars[i].label));
    }
    document_ += "</svg>\n";
    return *this;
}

std::string Html::take() { return std::move(document_) + "</body></html>\n"; }

}  // namespace headway::classroom
