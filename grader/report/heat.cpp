#include "report/heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway::report {
namespace {

using verdict::Window;

HeatScale range_of(const std::vector<double>& values) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    HeatScale scale{infinity, -infinity};
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        scale.low = std::min(scale.low, value);
        scale.high = std::max(scale.high, value);
    }
    return scale;
}

}  // namespace

double HeatScale::shade(double value) const {
    return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.0;
}

HeatScale heat_scale(const Window& window) {
    HeatScale scale = range_of(window.expected.values);
    if (scale.low > 0 && scale.low < scale.high / 4) scale.low = 0;  // weights, say: no shade is no weight
    if (scale.high > scale.low) return scale;
    std::vector<double> all = window.expected.values;
    all.insert(all.end(), window.yours.values.begin(), window.yours.values.end());
    scale = range_of(all);
    return scale.high >= scale.low ? scale : HeatScale{};
}

double largest_difference(const Window& window) {
    double largest = 0;
    for (const std::int64_t wrong : window.wrong) {
        const auto i = static_cast<std::size_t>(wrong);
        const double apart = std::abs(window.yours.values[i] - window.expected.values[i]);
        if (std::isfinite(apart)) largest = std::max(largest, apart);
    }
    return largest;
}

std::string place_of(const Window& window) {
    std::string text;
    for (std::size_t axis = 0; axis + 2 < window.axes.size(); ++axis)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", window.axes[axis], window.first[axis]);
    return text.empty() ? "" : "[" + text + "]";
}

std::string row_axis(const Window& window) { return window.axes.size() < 2 ? "" : window.axes[window.axes.size() - 2]; }

std::string column_axis(const Window& window) { return window.axes.empty() ? "" : window.axes.back(); }

std::int64_t first_row(const Window& window) {
    return window.first.size() < 2 ? 0 : window.first[window.first.size() - 2];
}

std::int64_t first_column(const Window& window) { return window.first.empty() ? 0 : window.first.back(); }

}  // namespace headway::report
