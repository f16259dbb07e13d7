#include "diagnosis/unwritten_part.hpp"

#include "diagnosis/fresh_memory.hpp"

#include "verdict/verdict.hpp"

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

/// Which place a number of a dense tensor has along one axis.
class Along {
public:
    Along(const Shape& shape, std::size_t axis) : size_(static_cast<std::size_t>(shape[axis])) {
        for (std::size_t later = axis + 1; later < shape.size(); ++later)
            step_ *= static_cast<std::size_t>(shape[later]);
    }
    std::size_t place_of(std::size_t number) const { return number / step_ % size_; }

private:
    std::size_t size_, step_ = 1;
};

/// The one part of a result that other memory changes, and which of its numbers were never written.
struct Unwritten {
    std::string part;
    Shape shape;
    std::vector<bool> numbers;

    /// Whether it depends on the place along this axis alone which numbers are written.
    bool is_of_whole_rows(std::size_t axis) const {
        std::vector<int> of_row(static_cast<std::size_t>(shape[axis]), -1);
        const Along along(shape, axis);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            int& known = of_row[along.place_of(i)];
            if (known == 1 - static_cast<int>(numbers[i])) return false;
            known = static_cast<int>(numbers[i]);
        }
        return true;
    }
};

/// The numbers along one axis that are not written, wherever one stands on the others.
struct Tail {
    std::string part;
    std::size_t axis = 0, rank = 0;
    Index begin = 0, size = 0;

    bool is_like(const Tail& other) const { return part == other.part && axis == other.axis && rank == other.rank; }
};

/// Which numbers are what memory held. Nothing where one differs in another way: that one was computed from such
/// numbers.
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

/// What is not written, if that is all behind some place along one axis.
std::optional<Tail> tail_of(const Unwritten& one) {
    for (std::size_t axis = one.shape.size(); axis-- > 0;) {
        const auto size = static_cast<std::size_t>(one.shape[axis]);
        const Along along(one.shape, axis);
        std::size_t begin = size;
        for (std::size_t i = 0; i < one.numbers.size(); ++i)
            if (one.numbers[i]) begin = std::min(begin, along.place_of(i));
        bool is_tail = begin > 0 && begin < size;
        for (std::size_t i = 0; i < one.numbers.size() && is_tail; ++i)
            is_tail = one.numbers[i] == (along.place_of(i) >= begin);
        if (is_tail) return Tail{one.part, axis, one.shape.size(), static_cast<Index>(begin), static_cast<Index>(size)};
    }
    return {};
}

/// The only part that differs; nothing if several do.
std::optional<Unwritten> unwritten_part(const Answer& filled, const Answer& refilled) {
    std::optional<Unwritten> found;
    if (filled.parts.size() != refilled.parts.size()) return {};
    for (std::size_t i = 0; i < filled.parts.size(); ++i) {
        const auto& [name, numbers] = filled.parts[i];
        const auto unwritten = unwritten_in(numbers, refilled.parts[i].second);
        if (!unwritten) return {};
        if (std::ranges::count(*unwritten, true) == 0) continue;
        if (found) return {};
        found = Unwritten{name, numbers.shape, *unwritten};
    }
    return found;
}

std::optional<Tail> tail_of_all(const std::vector<Reply>& filled, const std::vector<Reply>& refilled) {
    std::optional<Tail> largest;
    std::vector<Unwritten> others;
    for (std::size_t i = 0; i < std::min(filled.size(), refilled.size()); ++i) {
        const Answer &a = filled[i].answer, &b = refilled[i].answer;
        if (are_identical(filled[i], refilled[i])) continue;
        auto part = a.is_value() && b.is_value() ? unwritten_part(a, b) : std::nullopt;
        if (!part) return {};
        const auto tail = tail_of(*part);
        if (!tail) {
            others.push_back(std::move(*part));
            continue;
        }
        if (largest && !tail->is_like(*largest)) return {};
        if (!largest || tail->size > largest->size) largest = tail;
    }
    // A result that is shorter than a block may not be written at all.
    const auto is_shorter = [&](const Unwritten& one) {
        return one.part == largest->part && one.shape.size() == largest->rank &&
               one.shape[largest->axis] < largest->size && one.is_of_whole_rows(largest->axis);
    };
    return largest && std::ranges::all_of(others, is_shorter) ? largest : std::nullopt;
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
    return fmt::format("{}: in {},{} {} what memory held before, and all others are written{}", words,
                       tail->part.empty() ? "the result" : tail->part, where, numbers, verdict::end_is_never_written);
}

}  // namespace headway::diagnosis
