#pragma once

#include <headway/tensor.hpp>

#include <string>
#include <vector>

// Numbers and tables as the lessons show them: the same characters on every machine.
namespace headway::lessons {

/// "0.955". Whole numbers too: fixed(7, 0) is "7".
/// @throws std::runtime_error if the value is so close to the border between two roundings that another machine,
///         whose last bits differ, could show another digit: show another number of decimals there
std::string fixed(double value, int decimals);

/// "2,097,152"
std::string grouped(Index value);

/// "(2, 1, 0)", whole numbers without decimals.
std::string row_text(const Tensor& row);

using Labels = std::vector<std::string>;

/// Cells in columns, the first left-aligned, the others right-aligned.
std::string grid(const std::vector<Labels>& rows);

/// A matrix with its name in the corner. Whole numbers are shown without decimals.
/// @param columns  may be empty
std::string matrix(const std::string& name, const Labels& rows, const Labels& columns, const Tensor& values,
                   int decimals = 3);

/// matrix() for weights, each with a shade from " " to "█".
std::string heatmap(const std::string& name, const Labels& rows, const Labels& columns, const Tensor& weights);

/// What may not be attended to as ■.
std::string mask_picture(const std::string& name, const Labels& rows, const Labels& columns, const Mask& mask);

/// Blocks of lines side by side.
std::string beside(const std::vector<std::string>& blocks);

}  // namespace headway::lessons
