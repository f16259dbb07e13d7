#include "format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace headway::lessons {
namespace {

/// How many characters, not bytes: every character used here is one column wide.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded_left(const std::string& text, std::size_t to) { return std::string(to - width(text), ' ') + text; }
std::string padded_right(const std::string& text, std::size_t to) { return text + std::string(to - width(text), ' '); }

bool all_whole(const Tensor& values) {
    const Tensor dense = values.contiguous();
    return std::all_of(dense.data(), dense.data() + dense.numel(), [](float x) { return x == std::round(x); });
}

std::string shade(double weight) {
    if (weight < 0.1) return " ";
    if (weight < 0.3) return "░";
    if (weight < 0.6) return "▒";
    return weight < 0.85 ? "▓" : "█";
}

template <class Cell>
std::string labelled(const std::string& name, const Labels& rows, const Labels& columns, Index width, Cell cell) {
    std::vector<Labels> cells{{name}};
    cells.front().insert(cells.front().end(), columns.begin(), columns.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Labels line{rows[i]};
        for (Index j = 0; j < width; ++j) line.push_back(cell(static_cast<Index>(i), j));
        cells.push_back(std::move(line));
    }
    return grid(cells);
}

void require_matrix(const std::string& name, const Labels& rows, const Labels& columns, const Shape& shape) {
    if (shape.size() != 2 || shape[0] != static_cast<Index>(rows.size()) ||
        (!columns.empty() && shape[1] != static_cast<Index>(columns.size())))
        throw std::logic_error("the labels of " + name + " do not fit its shape " + to_string(shape));
}

}  // namespace

std::string fixed(double value, int decimals) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    const double last_digits = value * std::pow(10.0, decimals);
    const double from_border = std::abs(std::abs(last_digits - std::trunc(last_digits)) - 0.5);
    if (from_border < 1e-6 * std::max(1.0, std::abs(value)) * std::pow(10.0, decimals))
        throw std::runtime_error(std::to_string(value) + " cannot be shown safely with " + std::to_string(decimals) +
                                 " decimals");
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    const std::string shown = text;
    const bool is_zero = shown.find_first_not_of("-0.") == std::string::npos;
    return is_zero && shown.front() == '-' ? shown.substr(1) : shown;
}

std::string grouped(Index value) {
    std::string digits = std::to_string(value);
    for (auto at = static_cast<Index>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

std::string row_text(const Tensor& row) {
    const int decimals = all_whole(row) ? 0 : 3;
    std::string text = "(";
    for (Index i = 0; i < row.numel(); ++i) text += (i > 0 ? ", " : "") + fixed(row(i), decimals);
    return text + ")";
}

std::string grid(const std::vector<Labels>& rows) {
    std::vector<std::size_t> widths;
    for (const Labels& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width(row[j]));
    }
    std::string text;
    for (const Labels& row : rows) {
        for (std::size_t j = 0; j < row.size(); ++j)
            text += j == 0 ? padded_right(row[j], widths[j]) : "  " + padded_left(row[j], widths[j]);
        text += '\n';
    }
    return text;
}

std::string matrix(const std::string& name, const Labels& rows, const Labels& columns, const Tensor& values,
                   int decimals) {
    require_matrix(name, rows, columns, values.shape());
    const int shown = all_whole(values) ? 0 : decimals;
    return labelled(name, rows, columns, values.size(1), [&](Index i, Index j) { return fixed(values(i, j), shown); });
}

std::string heatmap(const std::string& name, const Labels& rows, const Labels& columns, const Tensor& weights) {
    require_matrix(name, rows, columns, weights.shape());
    Labels above;  // each name over its numbers, not over the shades
    for (const std::string& column : columns) above.push_back(column + "  ");
    return labelled(name, rows, above, weights.size(1),
                    [&](Index i, Index j) { return fixed(weights(i, j), 3) + " " + shade(weights(i, j)); });
}

std::string mask_picture(const std::string& name, const Labels& rows, const Labels& columns, const Mask& mask) {
    require_matrix(name, rows, columns, mask.shape());
    return labelled(name, rows, columns, mask.size(1), [&](Index i, Index j) { return mask(i, j) ? "■" : "·"; });
}

std::string beside(const std::vector<std::string>& blocks) {
    std::vector<std::string> lines;
    for (const std::string& block : blocks) {
        std::size_t widest = 0;
        for (const std::string& line : lines) widest = std::max(widest, width(line));
        const std::size_t column = lines.empty() ? 0 : widest + 6;
        std::istringstream in(block);
        std::string line;
        for (std::size_t i = 0; std::getline(in, line); ++i) {
            if (i == lines.size()) lines.emplace_back();
            lines[i] = padded_right(lines[i], column) + line;
        }
    }
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

}  // namespace headway::lessons
