#include "diagnosis/unwritten_part.hpp"

#include "diagnosis/fresh_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace headway::diagnosis {
namespace {

/// What a float is that nobody has written to.
constexpr double of_filled = std::bit_cast<float>(std::uint32_t{0xfefefefe});
constexpr double of_refilled = std::bit_cast<float>(std::uint32_t{0x55555555});

/// The numbers along one axis that are not written, wherever one stands on the others.
struct Tail {
    std::string part;
    std::size_t axis = 0, rank = 0;
    Index begin = 0, size = 0;

    bool is_like(const Tail& other) const { return part == other.part && axis == other.axis && rank == other.rank; }
};

/// Which numbers are those of the memory itself. Nothing where one differs in another way: it was computed from these.
std::optional<std::vector<bool>> unwritten_in(const Array& filled, const Array& refilled) {
    if (filled.shape != refilled.shape || filled.value.size() != refilled.value.size()) return {};
    std::vector<bool> unwritten;
    for (std::size_t i = 0; i < filled.value.size(); ++i) {
        const double a = filled.value[i], b = refilled.value[i];
        unwritten.push_back(a == of_filled && b == of_refilled);
        const bool is_the_same = a == b || (std::isnan(a) && std::isnan(b));
        if (!unwritten.back() && !is_the_same) return {};
    }
    return unwritten;
}

/// The end of the only axis that the places depend on.
std::optional<Tail> tail_of(const std::vector<bool>& unwritten, const Shape& shape) {
    std::size_t inner = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const auto size = static_cast<std::size_t>(shape[axis]);
        const auto along = [&](std::size_t i) { return i / inner % size; };
        std::size_t begin = size;
        for (std::size_t i = 0; i < unwritten.size(); ++i)
            if (unwritten[i]) begin = std::min(begin, along(i));
        bool is_tail = begin > 0 && begin < size;
        for (std::size_t i = 0; i < unwritten.size() && is_tail; ++i) is_tail = unwritten[i] == (along(i) >= begin);
        if (is_tail) return Tail{{}, axis, shape.size(), static_cast<Index>(begin), static_cast<Index>(size)};
        inner *= size;
    }
    return {};
}

/// The one tail of all parts that differ; nothing if there are others.
std::optional<Tail> tail_in(const Answer& filled, const Answer& refilled) {
    std::optional<Tail> found;
    if (filled.parts.size() != refilled.parts.size()) return {};
    for (std::size_t i = 0; i < filled.parts.size(); ++i) {
        const auto& [name, numbers] = filled.parts[i];
        const auto unwritten = unwritten_in(numbers, refilled.parts[i].second);
        if (!unwritten) return {};
        if (std::ranges::count(*unwritten, true) == 0) continue;
        auto tail = tail_of(*unwritten, numbers.shape);
        if (!tail || found) return {};
        tail->part = name;
        found = std::move(tail);
    }
    return found;
}

std::optional<Tail> tail_of_all(const std::vector<Reply>& filled, const std::vector<Reply>& refilled) {
    std::optional<Tail> largest;
    for (std::size_t i = 0; i < std::min(filled.size(), refilled.size()); ++i) {
        const Answer &a = filled[i].answer, &b = refilled[i].answer;
        if (are_identical(filled[i], refilled[i])) continue;
        const auto tail = a.is_value() && b.is_value() ? tail_in(a, b) : std::nullopt;
        if (!tail || (largest && !tail->is_like(*largest))) return {};
        if (!largest || tail->size > largest->size) largest = tail;
    }
    return largest;
}

}  // namespace

std::string what_other_memory_changes(const std::vector<Reply>& filled, const std::vector<Reply>& refilled) {
    std::string words = "the same question gets another answer when fresh memory is filled with another pattern";
    const auto tail = tail_of_all(filled, refilled);
    if (!tail) return words;
    const Index last = tail->size - 1;
    const std::string numbers = tail->begin == last
                                    ? fmt::format("number {} of the {} is", last, tail->size)
                                    : fmt::format("numbers {} to {} of the {} are", tail->begin, last, tail->size);
    const std::string where = tail->rank == 1                ? ""
                              : tail->axis + 1 == tail->rank ? " along its last axis"
                                                             : fmt::format(" along its axis {}", tail->axis);
    return fmt::format("{}: in {},{} {} what memory held before, and all others are written: do loops go that far?",
                       words, tail->part.empty() ? "the result" : tail->part, where, numbers);
}

}  // namespace headway::diagnosis
