#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headway::intake {

/// The file is no CSV; the message names the line.
struct CsvError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct CsvRow {
    std::size_t line = 0;  ///< at which it begins, counted from 1
    std::vector<std::string> fields;
};

/// RFC 4180, and what spreadsheets make of it: commas, semicolons or tabs, whichever the first line has most of; any
/// line end; a byte order mark. Lines without text are left out.
/// @throws CsvError for a quote that does not end, or is where none can be, and for what is no text
std::vector<CsvRow> read_csv(std::string_view text);

}  // namespace headway::intake
