#pragma once

#include "report/xml.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::lab {

/// A page that needs nothing else: no network, no script.
std::string html_page(const std::string& title, const std::function<void(report::Xml&)>& body);

/// Cells in columns: the first row is the heading.
using Rows = std::vector<std::vector<std::string>>;
void write_table(report::Xml& page, const std::string& caption, const Rows& rows);

/// A table as lines of text, numbers to the right.
std::vector<std::string> table_lines(const Rows& rows);

}  // namespace headway::lab
