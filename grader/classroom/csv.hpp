#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headway::classroom {

/// As people round: a half goes away from 0, and what is a half but for the last bits of a double is one.
double in_hundredths(double value);

/// With at most two digits after the point, none of them a zero that says nothing: "17.5", "10", "0".
std::string two_decimals(double value);

/// RFC 4180: fields with commas, quotes or line ends in quotes, quotes doubled, lines ended by CR LF.
/// Text that a spreadsheet would take for a formula gets an apostrophe in front [OWASP, CSV Injection].
class Csv {
public:
    Csv& text(std::string_view field);
    Csv& number(double value);
    Csv& empty() { return raw(""); }
    void end_row();
    std::string take() { return std::move(document_); }

private:
    Csv& raw(std::string_view field);
    std::string document_;
    bool row_begun_ = false;
};

}  // namespace headway::classroom
