#include "student/positions_out_of_range.hpp"

#include "verdict/phrases.hpp"

#include <headway/mask.hpp>
#include <headway/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace headway::judge {

bool is_one_too_far(const std::string& position, const std::string& size) { return position == size; }

namespace {

/// An axis of an argument.
struct Axis {
    std::string of;
    std::size_t number = 0;
    Index size = 0;
};

void add_axes(std::vector<Axis>& axes, const std::vector<wire::Field>& arguments) {
    const auto add = [&](const std::string& name, const Shape& shape) {
        for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back({name, i, shape[i]});
    };
    for (const wire::Field& argument : arguments) {
        // Suites say more in a name: "x (a transposed view)".
        const std::string name = verdict::name_alone(argument.name);
        if (const auto* tensor = std::get_if<Tensor>(&argument.value); tensor != nullptr && tensor->defined())
            add(name, tensor->shape());
        if (const auto* mask = std::get_if<Mask>(&argument.value); mask != nullptr && mask->defined())
            add(name, mask->shape());
        if (const auto* record = std::get_if<wire::Record>(&argument.value)) add_axes(axes, record->fields);
    }
}

/// What the index may have been meant for: the shortest axis of an argument that has such a position.
std::optional<Axis> other_axis_with(const std::string& position, const std::vector<wire::Field>& asked) {
    std::vector<Axis> axes;
    add_axes(axes, asked);
    std::erase_if(axes, [&](const Axis& axis) { return axis.size <= std::stol(position); });
    const auto shortest = std::ranges::min_element(axes, {}, &Axis::size);
    return shortest == axes.end() ? std::nullopt : std::optional(*shortest);
}

/// Of "(198)": an argument that has so many rows, and how long these are.
std::optional<Axis> rows_of_an_argument(const std::string& shape, const std::vector<wire::Field>& asked) {
    for (const wire::Field& argument : asked) {
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        if (tensor == nullptr || !tensor->defined() || tensor->rank() < 2 || tensor->size(-1) < 2) continue;
        if (to_string(Shape{tensor->numel() / tensor->size(-1)}) == shape)
            return Axis{verdict::name_alone(argument.name), tensor->shape().size() - 1, tensor->size(-1)};
    }
    return {};
}

/// The numbers T and S that were given; 0 where they were not.
std::pair<Index, Index> queries_and_keys(const std::vector<wire::Field>& asked) {
    Index T = 0, S = 0;
    for (const wire::Field& argument : asked)
        if (const auto* number = std::get_if<Index>(&argument.value)) {
            if (argument.name == "T") T = *number;
            if (argument.name == "S") S = *number;
        }
    return {T, S};
}

}  // namespace

std::optional<std::string> of_index(const OutOfRange& told_of, const std::vector<wire::Field>& asked) {
    const auto& [position, axis, size, shape] = told_of;
    if (position.starts_with('-')) return "An index counts from 0 and is never negative; only axes may be.";
    const auto [T, S] = queries_and_keys(asked);
    if (T != S && shape == to_string(Shape{S, T}))
        return fmt::format(
            "{} is (S, T), and has one row for each key. What is indexed by query and key has the queries first: "
            "{{T, S}}.",
            shape);
    if (axis == "0" && T < S && shape == to_string(Shape{T, S}))
        return fmt::format(
            "Axis 0 has a row for each of the {} queries, t = 0 to {}. Their positions, t + (S - T), are no rows.", T,
            T - 1);
    if (!is_one_too_far(position, size))
        return fmt::format("Axis {} has {} positions, counted from 0: is this the index of another axis?", axis, size);
    if (size == "1")
        return fmt::format(
            "Axis {} has one position, 0. Does a loop end one round late? If it stands for all positions, as in what "
            "broadcasts, expand() it first to "
            "the shape that is indexed.",
            axis);
    const std::string told =
        fmt::format("That is one too far: axis {} has {} positions, counted from 0, so the index stays below {}. ",
                    axis, size, size);
    if (const auto other = other_axis_with(position, asked))
        return told + fmt::format(
                          "Does its loop end too late, or is it the index of another axis (axis {} of {} has {} "
                          "positions)?",
                          other->number, other->of, other->size);
    if (const auto rows = rows_of_an_argument(shape, asked))
        return told + fmt::format(
                          "Does its loop go through all numbers of {0}? That has {1} rows of {2}: number i is of row "
                          "i / {2}.",
                          rows->of, size, rows->size);
    return told + "Look at where its loop ends, and at what the loop adds to.";
}

std::optional<std::string> of_slice(const std::string& begin, const std::string& end, const std::string& size,
                                    const std::string& function) {
    const std::string counted = "Positions count from 0 and are never negative: ";
    if (begin.starts_with('-') && !end.starts_with('-') && end != size)
        return counted + "what would begin before the first of them begins at 0, as in std::max<Index>(0, …).";
    if (begin.starts_with('-') || end.starts_with('-'))
        return counted + fmt::format("this axis ends at {}, and its last n begin at {} - n.", size, size);
    if (std::stol(begin) > std::stol(end) && end == size)
        return fmt::format("It would begin at {0}, and this axis has {1} positions: look where {0} comes from.{2}",
                           begin, size,
                           function.starts_with("ring_") ? " In a ring, position p is in slot p % w." : "");
    if (std::stol(begin) > std::stol(end))
        return fmt::format(
            "It would begin at {} and end at {}: slice(axis, begin, end) takes where the piece ends, not how long it "
            "is.",
            begin, end);
    if (std::stol(begin) >= std::stol(size) && function.starts_with("ring_"))
        return fmt::format(
            "All of it lies past the end. If it is the ring that is cut: it has {} slots, and after the last comes "
            "slot 0 again, so position p is in slot p % w.",
            size);
    if (std::stol(begin) >= std::stol(size))
        return fmt::format(
            "All of it lies past the end: this axis has {} positions, counted from 0. Is it the axis that is meant, "
            "and where does {} come from?",
            size, begin);
    if (function.starts_with("ring_"))  // of exercise 11: a shorter piece would lose tokens
        return fmt::format(
            "That reaches past the end. If it is the ring that is cut, it goes on at slot 0: take slot by slot, "
            "(next + t) % w, or two pieces, the second from slot 0 on. If not, look at where {} comes from.",
            end);
    return fmt::format(
        "That reaches past the end. If the axis is cut into pieces, the last one is shorter, up to "
        "std::min<Index>(…, {}); if not, look at where {} comes from.",
        size, end);
}

std::optional<std::string> of_an_argument_with_fewer_axes(const std::string& shape, const std::string& axes,
                                                          const std::vector<wire::Field>& asked) {
    for (const wire::Field& argument : asked)
        if (const auto* tensor = std::get_if<Tensor>(&argument.value);
            tensor != nullptr && tensor->defined() && to_string(tensor->shape()) == shape)
            return fmt::format(
                "{0} comes with {1} ax{2} here, {3}, and your code counts on more. What takes any shape "
                "goes through all numbers, {0}.numel() of them, in one loop.",
                verdict::name_alone(argument.name), axes, axes == "1" ? "is" : "es", shape);
    return {};
}

}  // namespace headway::judge
