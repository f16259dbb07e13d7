#pragma once

#include "report/xml.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headway::classroom {

/// A static page: no script, nothing loaded from anywhere. All that is given as text is escaped.
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
    };
    Html& table(const std::vector<std::string>& headings, const std::vector<std::vector<Cell>>& rows);

    /// Columns of a bar chart, each with its label below and its count above.
    struct Bar {
        std::string label;
        std::size_t count = 0;
    };
    Html& bars(std::string_view title, const std::vector<Bar>& bars);

    /// For what only one page has; what is opened there is closed there.
    report::Xml& elements() { return page_; }

    std::string take();

private:
    report::Xml page_;
};

}  // namespace headway::classroom
