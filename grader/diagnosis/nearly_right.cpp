#include "diagnosis/nearly_right.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway::diagnosis {

std::string nearly_right(const std::vector<Pair>& wrong) {
    constexpr double nearly = 0.01;
    double farthest = 0;
    for (const Pair& pair : wrong) {
        double largest = 0, off = 0;
        for (std::size_t i = 0; i < pair.expected.value.size(); ++i) {
            if (!std::isfinite(pair.expected.value[i]) || !std::isfinite(pair.seen.value[i])) return "";
            largest = std::max(largest, std::abs(pair.expected.value[i]));
            off = std::max(off, std::abs(pair.seen.value[i] - pair.expected.value[i]));
        }
        if (off > nearly * largest) return "";
        farthest = std::max(farthest, off / largest);
    }
    if (farthest == 0) return "";
    return fmt::format(
        "every wrong answer is nearly right, off by at most {:.1g} % of its largest number: is a constant or a table "
        "rounded, a small number added, or a sum kept in too few digits?",
        100 * farthest);
}

}  // namespace headway::diagnosis
