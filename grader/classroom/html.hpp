#pragma once

#include "report/xml.hpp"
#include "verdict/verdict.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headway::classroom {

/// A static page in the style of `grade --html`: no script, nothing loaded from anywhere. All that is given as text is
/// escaped.
class Html {
public:
    /// @param more_style  CSS that only this page needs
    explicit Html(std::string_view title, std::string_view more_style = {});

    Html& heading(std::string_view text);
    Html& paragraph(std::string_view text);
    Html& link(std::string_view target, std::string_view text);
    Html& code(std::string_view text);

    struct Cell {
        std::string text;
        std::string link = {};  ///< relative
        bool is_number = false;
        std::vector<std::string> more = {};  ///< lines of their own
    };
    /// A column without a heading has an empty cell there, which is no heading to a screen reader.
    Html& table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows);

    /// Columns of a bar chart, each with its label below and its count above.
    struct Bar {
        std::string label;
        std::size_t count = 0;
    };
    Html& bars(std::string_view title, const std::vector<Bar>& bars);

    /// For what only one page has; what is opened there is closed there.
    report::Xml& elements() { return page_; }
    /// As `grade --html` shows it; a link to it is "#exercise-03".
    Html& exercise(const verdict::Exercise& exercise);

    std::string take();

private:
    void cell(const Cell& cell);

    report::Xml page_;
    std::string heading_;  ///< the last
};

}  // namespace headway::classroom
