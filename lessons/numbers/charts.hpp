#pragma once

#include "format.hpp"
#include "picture.hpp"

#include <string>
#include <vector>

// What several lessons draw.
namespace headway::lessons {

/// Weights as coloured cells with their numbers, queries by keys. What is exactly 0, such as a blocked key, stays
/// empty.
struct HeatMap {
    std::string title;
    Labels rows;
    Labels columns;
    Tensor weights;  ///< (rows, columns)
    Tone tone = Tone::blue;
    double label_width = 44;  ///< room for the names of the rows
    Box cell{.width = 52, .height = 34};
    int decimals = 2;
    Mask blocked{};  ///< these cells stay empty
};
/// @param corner  the upper left one: of the title, which is left out if it is empty
void draw_heatmap(Picture& picture, Point corner, const HeatMap& map);

/// Numbers as lengths, one below the other, each with its name on the left and its digits on the right.
struct Bars {
    std::string title;
    Labels names;
    std::vector<double> values;
    double longest = 0;  ///< the value whose bar takes all the room; 0: the largest here
    double length = 200;
    double label_width = 44;
    Tone tone = Tone::blue;
    int decimals = 3;
    double pitch = 26;  ///< from one bar to the next
};
void draw_bars(Picture& picture, Point corner, const Bars& bars);

/// A mask as a staircase, with its queries on the left and its keys above it.
struct Staircase {
    std::string title;
    Labels rows;
    Labels columns;
    Mask mask;
    double label_width = 44;
    double side = 40;
};
void draw_staircase(Picture& picture, Point corner, const Staircase& stairs);

/// What a cell is coloured with means: blue may be attended to, × may not.
void draw_mask_key(Picture& picture, Point corner);

/// "The 0.028, cat 0.955, sat 0.014, here 0.003", for a picture's words.
std::string in_words(const Labels& names, const std::vector<double>& values, int decimals = 3);

/// The numbers of a row, or of a whole matrix in row-major order.
std::vector<double> numbers_of(const Tensor& values);

}  // namespace headway::lessons
