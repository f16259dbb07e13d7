#include "student/shapes_that_differ.hpp"

#include "verdict/phrases.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
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
    if (left.size() == 4 && right.size() == 4 && left[0] != left[1] && left[0] == right[1] && left[1] == right[0])
        return fmt::format(
            " Their first two axes are exchanged as well, ({}, {}) and ({}, {}): one was transposed in axes 0 and 1, "
            "where the last two, -2 and -1, are meant.",
            left[0], left[1], right[0], right[1]);
    const bool exchanged = left.size() >= 2 && right.size() >= 2 && right.back() == left[left.size() - 2];
    if (exchanged && to_transpose.empty())
        return " They would fit as matmul(b, a), or with both transposed. Did you transpose the wrong one?";
    if (exchanged)
        return fmt::format(" In the other order, matmul(b, a), they would fit, or {} transposed.", to_transpose);
    if (!to_transpose.empty()) return fmt::format(" Transposed, {} would fit.", to_transpose);
    if (left.size() == 4 && right.size() == 2 && left[1] * left[3] == right[0])
        return fmt::format(" {} heads of {} features are {} together: merge the heads before this product.", left[1],
                           left[3], right[0]);
    const bool is_on_another_axis =
        left.size() == 4 && right.size() == 4 && left[1] != right[1] && left[1] == right[2] && left[3] == right[3];
    if (!is_on_another_axis) return {};
    return fmt::format(
        " Axis 1 is {} in one and {} in the other, which has {} on axis 2: if these are heads, the last two axes were "
        "to be swapped and not these two.",
        left[1], right[1], right[2]);
}

std::optional<std::string> without_axis_of_heads(const std::string& a, const std::string& b) {
    const auto left = sizes_in(a), right = sizes_in(b);
    const bool is_it =
        left.size() == 4 && right.size() == 3 && left[0] == right[0] && left[3] == right[1] && right[2] % left[1] == 0;
    if (!is_it) return {};
    return fmt::format("{} has no axis of heads, and {} has {}: split it as well, given::split_heads(…, {}).", b, a,
                       left[1], left[1]);
}

std::string dropped_axis(const std::string& a, const std::string& b) {
    const auto first = sizes_in(a), second = sizes_in(b);
    const auto& [longer, shorter] = first.size() > second.size() ? std::tie(first, second) : std::tie(second, first);
    const bool is_reduced = longer.size() == shorter.size() + 1 && !shorter.empty() &&
                            std::equal(shorter.begin(), shorter.end(), longer.begin());
    if (!is_reduced) return {};
    return fmt::format(
        " If {} comes from max, sum or mean over the last axis, give it KeepAxis::yes: that leaves a 1 there. Else "
        ".contiguous().view({{{}, 1}}) puts it there.",
        first.size() > second.size() ? b : a, fmt::join(shorter, ", "));
}

namespace {

/// " (3, 10, 5) lacks an axis: .contiguous().view({3, 1, 10, 5}) puts a 1 there.", where a 1 between two axes lets them
/// broadcast.
std::string axis_between(const std::string& a, const std::string& b) {
    const auto first = sizes_in(a), second = sizes_in(b);
    const bool is_first = first.size() < second.size();
    const auto &shorter = is_first ? first : second, &longer = is_first ? second : first;
    if (longer.size() != shorter.size() + 1) return {};
    for (std::size_t axis = 1; axis < shorter.size(); ++axis) {
        auto widened = shorter;
        widened.insert(widened.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        const bool fits = std::equal(widened.begin(), widened.end(), longer.begin(),
                                     [](long x, long y) { return x == y || x == 1 || y == 1; });
        if (fits)
            return fmt::format(" {} lacks axis {} of the other: .contiguous().view({{{}}}) puts a 1 there.",
                               is_first ? a : b, axis, fmt::join(widened, ", "));
    }
    return {};
}

/// Where one of them is an argument as it came, and longer along that axis than the other, which is a part.
std::string whole_beside_a_part(const std::string& a, const std::string& b, const std::vector<wire::Field>& arguments) {
    const auto first = sizes_in(a), second = sizes_in(b);
    if (first.empty() || second.empty() || first.back() == second.back()) return {};
    const std::string& whole = first.back() > second.back() ? a : b;
    for (const wire::Field& argument : arguments) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        const auto* mask = std::get_if<Mask>(&argument.value);
        const bool is_it = (tensor != nullptr && tensor->defined() && to_string(tensor->shape()) == whole) ||
                           (mask != nullptr && mask->defined() && to_string(mask->shape()) == whole);
        if (!is_it) continue;
        const long part = std::min(first.back(), second.back());
        const bool is_half = std::max(first.back(), second.back()) == 2 * part;
        return fmt::format(" {} comes whole, {}, and the other has {} of these: take the same part of both{}",
                           verdict::name_alone(argument.name), whole, part,
                           is_half ? ", or, if each stands for two, repeat the shorter one: cat({y, y}, -1)." : ".");
    }
    return {};
}

}  // namespace

std::optional<std::size_t> only_axis_that_differs(const std::string& a, const std::string& b) {
    const auto first = sizes_in(a), second = sizes_in(b);
    std::optional<std::size_t> found;
    if (first.size() != second.size()) return {};
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        if (first[axis] == second[axis]) continue;
        if (found) return {};
        found = axis;
    }
    return found;
}

std::string axis_behind(const std::string& a, const std::string& b, const std::vector<wire::Field>& arguments) {
    std::string dropped = dropped_axis(a, b);
    if (dropped.empty()) dropped = axis_between(a, b);
    if (dropped.empty()) return whole_beside_a_part(a, b, arguments);
    for (const wire::Field& argument : arguments) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || !tensor->defined()) continue;
        const std::string shape = to_string(tensor->shape());
        if (dropped.starts_with(" If " + shape + " comes"))
            return fmt::format(" {0} comes with {1}: {0}.contiguous().view({{{2}, 1}}) puts a 1 there.",
                               verdict::name_alone(argument.name), shape, shape.substr(1, shape.size() - 2));
    }
    return dropped;
}

std::string of_broadcast(const std::string& operation, const std::string& from, const std::string& to) {
    const auto source = sizes_in(from), target = sizes_in(to);
    std::vector<std::size_t> differing;
    for (std::size_t axis = 0; axis < std::min(source.size(), target.size()); ++axis)
        if (source[axis] != target[axis]) differing.push_back(axis);
    const bool is_more = source.size() > target.size() && std::equal(target.rbegin(), target.rend(), source.rbegin());
    if (is_more && operation != "copy_from")
        return fmt::format(
            "{} has more axes in front than {}, which cannot take them: sum over those first, or take one of their "
            "entries.",
            from, to);
    const bool is_one_axis = source.size() == target.size() && differing.size() == 1;
    if (operation == "expand" && is_one_axis && source[differing.front()] > 1 &&
        target[differing.front()] % source[differing.front()] == 0)
        return fmt::format(
            "expand repeats axes of size 1 alone, and axis {0} has {1} positions: put a 1 behind it with view, expand "
            "that to {2}, and join the two with view.",
            differing.front(), source[differing.front()], target[differing.front()] / source[differing.front()]);
    std::erase_if(differing, [&](std::size_t axis) { return operation == "expand" && source[axis] == 1; });
    if (operation == "expand" && source.size() == target.size() && differing.size() == 1)
        return fmt::format(
            "Axis {} is {} in what is expanded, and {} where it should go: expand repeats axes of size 1 alone, so "
            "both "
            "must be made for as many positions.",
            differing.front(), source[differing.front()], target[differing.front()]);
    if (operation == "copy_from" && source.size() == target.size() + 1)
        for (std::size_t axis = 0; axis < source.size(); ++axis) {
            auto left = source;
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(axis));
            if (source[axis] == 1 && left == target)
                return fmt::format(
                    "What is copied has an axis {0} of size 1 that its place has not: leave it out with select({0}, "
                    "0), or have it there too: select({0}, t) takes the axis away, slice({0}, t, t + 1) keeps it.",
                    axis);
        }
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

std::string of_mask(const std::string& mask, const std::string& filled) {
    const auto given = sizes_in(mask), due = sizes_in(filled);
    if (given.size() > due.size()) return fmt::format("The mask has more axes than {}, which is filled.", filled);
    for (std::size_t axis = 1; axis <= given.size(); ++axis) {
        const long size = given[given.size() - axis], wanted = due[due.size() - axis];
        if (size == wanted || size == 1) continue;
        return fmt::format(
            "Shapes are compared from their last axis on: axis -{} is {} in the mask and {} in what is filled.{}", axis,
            size, wanted,
            size > wanted && wanted > 1
                ? " Of a part of the scores, only that part of the mask counts: expand() it to all, then slice() it."
                : "");
    }
    return {};
}

bool merges_or_splits(std::vector<long> shape, std::vector<long> becomes) {
    const auto numbers = [](const std::vector<long>& sizes) {
        double product = 1;
        for (const long size : sizes) product *= static_cast<double>(size);
        return product;
    };
    if (const auto rest = std::ranges::find(becomes, -1); rest != becomes.end())
        *rest = std::lround(numbers(shape) / -numbers(becomes));
    for (std::vector<long>* sizes : {&shape, &becomes}) std::erase(*sizes, 1);
    if (std::ranges::count(shape, 0) > 0) return true;
    for (std::size_t i = 0, j = 0; i < shape.size() && j < becomes.size(); ++i, ++j) {
        const std::size_t old_begin = i, new_begin = j;
        double old_size = static_cast<double>(shape[i]), new_size = static_cast<double>(becomes[j]);
        while (old_size != new_size) {
            if (old_size < new_size && ++i < shape.size())
                old_size *= static_cast<double>(shape[i]);
            else if (new_size < old_size && ++j < becomes.size())
                new_size *= static_cast<double>(becomes[j]);
            else
                return true;  // no view of that tensor
        }
        if (i > old_begin && j > new_begin) return false;
    }
    return true;
}

}  // namespace headway::judge
