#include "labs/frame/page.hpp"

#include "report/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::lab {

std::string html_page(const std::string& title, const std::function<void(report::Xml&)>& body) {
    report::Xml page("<!DOCTYPE html>\n");
    page.open("html", {{"lang", "en"}});
    report::write_head(page, title);
    page.open("body");
    page.open("main");
    page.text("h1", {}, title);
    body(page);
    page.close();
    page.close();
    page.close();
    return page.take();
}

void write_table(report::Xml& page, const std::string& caption, const Rows& rows) {
    page.open("div", {{"class", "numbers"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption}});
    page.open("table");
    page.text("caption", {}, caption);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        page.open("tr");
        for (const std::string& cell : rows[row]) page.text(row == 0 ? "th" : "td", {}, cell);
        page.close();
    }
    page.close();
    page.close();
}

std::vector<std::string> table_lines(const Rows& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::vector<std::string> lines;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i)
            line += fmt::format("{:>{}}", row[i], widths[i] + (i == 0 ? 0 : 2));
        lines.push_back(line);
    }
    return lines;
}

}  // namespace headway::lab
