#include "labs/frame/chart.hpp"

#include "terminal/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace headway::lab {
namespace {

using report::number;
using report::Xml;

constexpr double width = 720, height = 380;
constexpr double left = 70, right = 130, top = 40, bottom = 48;  // margins; series are named on the right
constexpr double label_distance = 15;

/// Colours that people with any kind of colour vision tell apart.                                [Okabe and Ito 2008]
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::array<const char*, 3> dashes = {"none", "7 4", "2 3"};

double x_of(const Chart& chart, const Span2d& span, double x) {
    return left + across(chart, span, x) * (width - left - right);
}
double y_of(const Span2d& span, double y) { return height - bottom - up(span, y) * (height - top - bottom); }
std::string pixels(double value) { return fmt::format("{:.1f}", value); }

void write_line(Xml& page, double x1, double y1, double x2, double y2) {
    page.empty("line", {{"x1", pixels(x1)},
                        {"y1", pixels(y1)},
                        {"x2", pixels(x2)},
                        {"y2", pixels(y2)},
                        {"stroke", "currentColor"},
                        {"stroke-opacity", "0.25"}});
}

void write_label(Xml& page, double x, double y, const std::string& anchor, const std::string& text,
                 const std::string& colour = "currentColor") {
    page.text("text",
              {{"x", pixels(x)}, {"y", pixels(y)}, {"text-anchor", anchor}, {"font-size", "12"}, {"fill", colour}},
              text);
}

std::vector<double> x_ticks(const Chart& chart, const Span2d& span) {
    if (chart.x_scale == Scale::linear) return ticks(span.left, span.right, 8);
    std::vector<double> powers;
    for (double x = span.left; x <= span.right * 1.001; x *= 2) powers.push_back(x);
    return powers;
}

void write_axes(Xml& page, const Chart& chart, const Span2d& span) {
    for (const double y : ticks(span.bottom, span.top, 7)) {
        write_line(page, left, y_of(span, y), width - right, y_of(span, y));
        write_label(page, left - 8, y_of(span, y) + 4, "end", number(y));
    }
    for (const double x : x_ticks(chart, span)) {
        write_line(page, x_of(chart, span, x), height - bottom, x_of(chart, span, x), height - bottom + 5);
        write_label(page, x_of(chart, span, x), height - bottom + 18, "middle", number(x));
    }
    write_label(page, (left + width - right) / 2, height - 8, "middle", chart.x_name);
    page.text("text",
              {{"transform", fmt::format("translate(16 {}) rotate(-90)", pixels((top + height - bottom) / 2))},
               {"text-anchor", "middle"},
               {"font-size", "12"},
               {"fill", "currentColor"}},
              chart.y_name);
}

/// Heights for the names at the ends of the lines, pushed apart where they would overlap.
std::vector<double> label_heights(const Chart& chart, const Span2d& span) {
    std::vector<std::size_t> order;
    std::vector<double> heights(chart.series.size(), 0.0);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        if (chart.series[i].y.empty()) continue;
        heights[i] = y_of(span, chart.series[i].y.back());
        order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return heights[a] > heights[b]; });
    for (std::size_t i = 1; i < order.size(); ++i)
        heights[order[i]] = std::min(heights[order[i]], heights[order[i - 1]] - label_distance);
    return heights;
}

void write_series(Xml& page, const Chart& chart, const Span2d& span) {
    const std::vector<double> heights = label_heights(chart, span);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        const Series& one = chart.series[i];
        std::string points;
        for (std::size_t p = 0; p < one.x.size(); ++p)
            if (std::isfinite(one.y[p]))
                points += pixels(x_of(chart, span, one.x[p])) + "," + pixels(y_of(span, one.y[p])) + " ";
        if (points.empty()) continue;
        const std::string colour = colours[i % colours.size()];
        page.empty("polyline", {{"points", points},
                                {"fill", "none"},
                                {"stroke", colour},
                                {"stroke-width", "2"},
                                {"stroke-dasharray", dashes[i / 2 % dashes.size()]}});
        write_label(page, x_of(chart, span, one.x.back()) + 6, heights[i] + 4, "start", one.name, colour);
    }
}

}  // namespace

Span2d span_of(const Chart& chart) {
    Span2d span{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const Series& one : chart.series)
        for (std::size_t p = 0; p < one.x.size(); ++p) {
            if (!std::isfinite(one.y[p])) continue;
            span.left = std::min(span.left, one.x[p]);
            span.right = std::max(span.right, one.x[p]);
            span.bottom = std::min(span.bottom, one.y[p]);
            span.top = std::max(span.top, one.y[p]);
        }
    if (!(span.left <= span.right)) return {};
    if (chart.floor == Floor::zero) span.bottom = std::min(span.bottom, 0.0);
    if (span.right == span.left) span.right = span.left + 1;
    if (span.top == span.bottom) span.top = span.bottom + 1;
    return span;
}

double across(const Chart& chart, const Span2d& span, double x) {
    if (chart.x_scale == Scale::log2) return std::log2(x / span.left) / std::log2(span.right / span.left);
    return (x - span.left) / (span.right - span.left);
}

double up(const Span2d& span, double y) { return (y - span.bottom) / (span.top - span.bottom); }

std::vector<double> ticks(double low, double high, std::size_t most) {
    double step = std::pow(10.0, std::floor(std::log10((high - low) / static_cast<double>(most))));
    for (const double factor : {2.0, 2.5, 2.0}) {  // 1, 2, 5, 10
        if ((high - low) / step <= static_cast<double>(most)) break;
        step *= factor;
    }
    std::vector<double> round;
    for (double tick = std::ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step)
        round.push_back(std::abs(tick) < step / 2 ? 0.0 : tick);
    return round;
}

std::string in_words(const Chart& chart) {
    std::string words = fmt::format("{}: {} over {}.", chart.title, chart.y_name, chart.x_name);
    for (const Series& one : chart.series)
        if (!one.x.empty())
            words += fmt::format(" {}: from {} at {} to {} at {}.", one.name, number(one.y.front(), 3),
                                 number(one.x.front()), number(one.y.back(), 3), number(one.x.back()));
    return words;
}

void write_chart(Xml& page, const Chart& chart) {
    const Span2d span = span_of(chart);
    page.text("h3", {}, chart.title);
    page.open("svg", {{"viewBox", fmt::format("0 0 {} {}", width, height)},
                      {"role", "img"},
                      {"aria-label", in_words(chart)},
                      {"style", "max-width:45rem;width:100%"}});
    write_axes(page, chart, span);
    write_series(page, chart, span);
    page.close();
}

nlohmann::json to_json(const Chart& chart) {
    nlohmann::json series = nlohmann::json::array();
    for (const Series& one : chart.series) series.push_back({{"name", one.name}, {"x", one.x}, {"y", one.y}});
    return {{"title", chart.title}, {"x", chart.x_name}, {"y", chart.y_name}, {"series", series}};
}

}  // namespace headway::lab
