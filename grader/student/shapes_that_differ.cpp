#include "student/shapes_that_differ.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <tuple>

namespace headway::judge {

std::vector<long> sizes_in(const std::string& shape) {
    std::vector<long> sizes;
    std::istringstream words(shape);
    for (char bracket_or_comma = 0; words >> bracket_or_comma;)
        if (long size = 0; words >> size)
            sizes.push_back(size);
        else
            break;
    return sizes;
}

std::string other_product(const std::string& a, const std::string& b, const std::string& to_transpose) {
    const auto left = sizes_in(a), right = sizes_in(b);
    const bool exchanged = left.size() >= 2 && right.size() >= 2 && right.back() == left[left.size() - 2];
    if (exchanged && to_transpose.empty())
        return " They would fit as matmul(b, a), or with both transposed. Did you transpose the wrong one?";
    if (exchanged)
        return fmt::format(" In the other order, matmul(b, a), they would fit, or {} transposed.", to_transpose);
    return to_transpose.empty() ? "" : fmt::format(" Transposed, {} would fit.", to_transpose);
}

std::string dropped_axis(const std::string& a, const std::string& b) {
    const auto first = sizes_in(a), second = sizes_in(b);
    const auto& [longer, shorter] = first.size() > second.size() ? std::tie(first, second) : std::tie(second, first);
    const bool is_reduced = longer.size() == shorter.size() + 1 && !shorter.empty() &&
                            std::equal(shorter.begin(), shorter.end(), longer.begin());
    if (!is_reduced) return {};
    return fmt::format(
        " If {} comes from max, sum or mean over the last axis, give it KeepAxis::yes: that leaves a 1 "
        "there.",
        first.size() > second.size() ? b : a);
}

std::string of_broadcast(const std::string& operation, const std::string& from, const std::string& to) {
    const auto source = sizes_in(from), target = sizes_in(to);
    std::vector<std::size_t> differing;
    for (std::size_t axis = 0; axis < std::min(source.size(), target.size()); ++axis)
        if (source[axis] != target[axis]) differing.push_back(axis);
    const bool is_one_axis = source.size() == target.size() && differing.size() == 1;
    if (operation != "copy_from" || !is_one_axis)
        return fmt::format(
            "Shapes are compared from their last axis on: each axis of {} must be 1 or as in {}. Axes of 1 in between "
            "are not put in by themselves.",
            from, to);
    const long given = source[differing.front()], due = target[differing.front()];
    const std::string told =
        fmt::format("Axis {} is {} in what is copied, and {} in what it is copied into", differing.front(), given, due);
    return told + (given > due ? ": slice the source to as many as the target has." : ": these must be equal.");
}

}  // namespace headway::judge
