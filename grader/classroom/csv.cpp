#include "classroom/csv.hpp"

#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <cmath>

namespace headway::classroom {

double in_hundredths(double value) { return std::round(value * 100 + std::copysign(1e-6, value)) / 100; }

std::string two_decimals(double value) {
    std::string digits = fmt::format("{:.2f}", in_hundredths(value));
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return digits == "-0" ? "0" : digits;
}

Csv& Csv::raw(std::string_view field) {
    if (row_begun_) document_ += ',';
    row_begun_ = true;
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
        document_ += field;
        return *this;
    }
    document_ += '"';
    for (const char c : field) {
        if (c == '"') document_ += '"';
        document_ += c;
    }
    document_ += '"';
    return *this;
}

Csv& Csv::text(std::string_view field) {
    const bool is_formula =
        !field.empty() && std::string_view("=+-@\t\r\n").find(field.front()) != std::string_view::npos;
    return raw(verdict::showable(is_formula ? "'" + std::string(field) : std::string(field)));
}

Csv& Csv::number(double value) { return raw(two_decimals(value)); }

void Csv::end_row() {
    document_ += "\r\n";
    row_begun_ = false;
}

}  // namespace headway::classroom
