#pragma once

#include "report/xml.hpp"
#include "terminal/page.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace headway::lab {

struct Series {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
};

enum class Scale { linear, log2 };
/// Where the y axis begins: at 0, so that heights compare, or near the lowest point, so that small differences show.
enum class Floor { zero, lowest };

/// Lines on one set of axes.
struct Chart {
    std::string title;
    std::string x_name;
    std::string y_name;
    Scale x_scale = Scale::linear;
    Floor floor = Floor::zero;
    std::vector<Series> series;
};

/// What the axes span: all finite points.
struct Span2d {
    double left = 0, right = 1, bottom = 0, top = 1;
};
Span2d span_of(const Chart& chart);

/// Along its axis: 0 is the left end, 1 the right one.
double across(const Chart& chart, const Span2d& span, double x);
double up(const Span2d& span, double y);

/// Round numbers from low to high, at most `most`.
std::vector<double> ticks(double low, double high, std::size_t most);

/// "H = 4: from 3.1 at 0 to 0.7 at 900." for each series: the picture in words.
std::string in_words(const Chart& chart);

/// An SVG in the page: lines differ in colour and in dashes, and are named at their ends.
void write_chart(report::Xml& page, const Chart& chart);

/// The chart in characters, for a terminal.
void show_chart(report::Page& page, std::size_t indent, const Chart& chart);

nlohmann::json to_json(const Chart& chart);

}  // namespace headway::lab
