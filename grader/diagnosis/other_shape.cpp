#include "diagnosis/other_shape.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

std::size_t different_sizes(const Shape& shape) { return std::set<Index>(shape.begin(), shape.end()).size(); }

/// The axes of `due` any one of which may be left out to give `seen`.
std::set<std::size_t> axes_left_out(const Shape& due, const Shape& seen) {
    std::set<std::size_t> axes;
    for (std::size_t axis = 0; axis < due.size(); ++axis) {
        Shape without = due;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(axis));
        if (without == seen) axes.insert(axis);
    }
    return axes;
}

}  // namespace

std::optional<OtherShape> other_shape(const std::vector<Observation>& observations) {
    std::optional<OtherShape> found;
    std::set<std::size_t> missing;
    bool is_first = true;
    for (const Observation& observation : observations) {
        const Answer expected = predicted(observation, right());
        if (!expected.is_value() || !observation.seen.is_value()) continue;
        for (std::size_t i = 0; i < std::min(expected.parts.size(), observation.seen.parts.size()); ++i) {
            const auto& [name, due] = expected.parts[i];
            const auto& [part, seen] = observation.seen.parts[i];
            if (due.shape == seen.shape || (found && found->part != part)) continue;
            const std::set<std::size_t> left_out = axes_left_out(due.shape, seen.shape);
            if (is_first) missing = left_out;
            std::erase_if(missing, [&](std::size_t axis) { return !left_out.contains(axis); });
            is_first = false;
            if (!found || (found->is_due && different_sizes(due.shape) > different_sizes(found->due)))
                found = OtherShape{part, part == name, seen.shape, due.shape};
        }
    }
    if (found && missing.size() == 1) found->missing = *missing.begin();
    return found;
}

std::string in_words(const OtherShape& other, const Function& function) {
    if (!other.is_due || (!other.part.empty() && function.ask)) return {};
    std::string words = (other.part.empty() ? "the result" : other.part) + " has shape " + to_string(other.seen) +
                        ", not " + to_string(other.due);
    if (other.seen.size() == other.due.size()) return words;
    words += fmt::format(": it has {} {} in place of {}", other.seen.size(), other.seen.size() == 1 ? "axis" : "axes",
                         other.due.size());
    return other.missing ? fmt::format("{}, and axis {} is missing", words, *other.missing) : words;
}

}  // namespace headway::diagnosis
