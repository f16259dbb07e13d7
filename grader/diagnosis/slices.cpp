#include "diagnosis/slices.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace headway::diagnosis {
namespace {

const std::vector<std::vector<std::string>>& names_of_axes() {
    static const std::vector<std::vector<std::string>> names{{},
                                                             {"element"},
                                                             {"row", "column"},
                                                             {"sequence", "token", "feature"},
                                                             {"sequence", "head", "query", "key or feature"}};
    return names;
}

std::string plural(const std::string& noun) {
    return noun.ends_with("ry") ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s";
}

/// The slices along an axis in which something differs.
std::set<std::size_t> wrong_along(const Pair& pair, std::size_t axis) {
    const Shape& shape = pair.expected.shape;
    std::size_t inner = 1;
    for (std::size_t later = axis + 1; later < shape.size(); ++later) inner *= static_cast<std::size_t>(shape[later]);
    const auto size = static_cast<std::size_t>(shape[axis]);
    std::set<std::size_t> wrong;
    for (std::size_t i = 0; i < pair.expected.value.size(); ++i)
        if (differs(pair, i)) wrong.insert(i / inner % size);
    return wrong;
}

/// In how many answers something must be seen that is said of all.
constexpr int least_telling = 2;

/// Whether positions of a text lie along an axis, or rows or columns of a matrix. Which of them are wrong may depend on
/// lengths, such as T - S, so a single length says nothing of others.
bool is_of_positions(std::size_t axis, std::size_t rank) {
    constexpr std::size_t of_matrix = 2, with_heads = 4;
    return rank == of_matrix || axis == (rank == with_heads ? 2 : 1);
}

/// How wrong slices may lie along an axis of any size.
struct Pattern {
    const char* words;
    bool (*is_wrong)(std::size_t slice, std::size_t size);
};
constexpr Pattern patterns[] = {
    {"only the first is right", [](std::size_t slice, std::size_t) { return slice > 0; }},
    {"only the first is wrong", [](std::size_t slice, std::size_t) { return slice == 0; }},
    {"only the last is right", [](std::size_t slice, std::size_t size) { return slice + 1 < size; }},
    {"only the last is wrong", [](std::size_t slice, std::size_t size) { return slice + 1 == size; }},
};

bool fits(const Pattern& pattern, const std::set<std::size_t>& wrong, std::size_t size) {
    for (std::size_t slice = 0; slice < size; ++slice)
        if (pattern.is_wrong(slice, size) != wrong.contains(slice)) return false;
    return true;
}

/// What all of these answers have in common along an axis; nothing where they agree on nothing, or are too few to tell.
std::optional<std::string> in_common(const std::vector<const Pair*>& pairs, std::size_t axis) {
    constexpr std::size_t telling_size = 3;  // of two, the first that is right is the last that is right
    std::vector<bool> fitting(std::size(patterns), true);
    int telling = 0;
    std::set<std::size_t> sizes;
    for (const Pair* pair : pairs) {
        const auto size = static_cast<std::size_t>(pair->expected.shape[axis]);
        if (size == 0) continue;
        const std::set<std::size_t> wrong = wrong_along(*pair, axis);
        for (std::size_t i = 0; i < std::size(patterns); ++i) fitting[i] = fitting[i] && fits(patterns[i], wrong, size);
        if (size < telling_size) continue;
        ++telling;
        sizes.insert(size);
    }
    if (is_of_positions(axis, pairs.front()->expected.shape.size()) && sizes.size() < 2) return std::nullopt;
    const bool is_one = std::ranges::count(fitting, true) == 1;
    if (telling < least_telling || !is_one) return std::nullopt;
    return patterns[std::ranges::find(fitting, true) - fitting.begin()].words;
}

/// Whether in all of these answers the first slice of the first slice alone is right: what is carried on from one to
/// the next, and never set back.
bool only_the_very_first_is_right(const std::vector<const Pair*>& pairs) {
    int telling = 0;
    for (const Pair* pair : pairs) {
        const Shape& shape = pair->expected.shape;
        if (shape.size() < 3) return false;
        const auto slices = static_cast<std::size_t>(shape[0] * shape[1]);
        if (slices == 0) continue;
        const std::size_t inner = pair->expected.value.size() / slices;
        if (inner == 0) return false;
        std::set<std::size_t> wrong;
        for (std::size_t i = 0; i < pair->expected.value.size(); ++i)
            if (differs(*pair, i)) wrong.insert(i / inner);
        if (wrong.contains(0) || wrong.size() + 1 != slices) return false;
        if (shape[0] > 1 && shape[1] > 1) ++telling;
    }
    return telling >= least_telling;
}

/// The number of answers if the first head of the first sequence is right in each, other heads of that sequence are
/// wrong in some, and the first heads of others are: so it looks where something of the first, such as its mask, is
/// taken for all. Else 0.
int first_matrix_taken_for_all(const std::vector<const Pair*>& pairs) {
    constexpr std::size_t least = 4;
    bool in_other_heads = false, in_other_sequences = false;
    for (const Pair* pair : pairs) {
        const Shape& shape = pair->expected.shape;
        if (shape.size() != 4 || pair->expected.value.empty()) return 0;
        const auto heads = static_cast<std::size_t>(shape[1]);
        const std::size_t inner = pair->expected.value.size() / (static_cast<std::size_t>(shape[0]) * heads);
        for (std::size_t i = 0; i < pair->expected.value.size(); ++i) {
            if (!differs(*pair, i)) continue;
            const std::size_t matrix = i / inner;
            if (matrix == 0) return 0;
            in_other_heads |= matrix < heads;
            in_other_sequences |= matrix % heads == 0;
        }
    }
    return pairs.size() >= least && in_other_heads && in_other_sequences ? static_cast<int>(pairs.size()) : 0;
}

}  // namespace

std::vector<std::string> wrong_slices(const std::vector<Pair>& pairs, bool of_several, Along along) {
    std::map<std::string, std::vector<const Pair*>> by_part;
    for (const Pair& pair : pairs) by_part[pair.part].push_back(&pair);
    std::vector<std::string> sentences;
    for (const auto& [part, same] : by_part) {
        const std::size_t rank = same.front()->expected.shape.size();
        const bool alike =
            std::ranges::all_of(same, [&](const Pair* pair) { return pair->expected.shape.size() == rank; });
        if (!alike || rank >= names_of_axes().size()) continue;
        constexpr std::size_t with_heads = 4, outer = 2;
        if (along == Along::sequences_and_heads && rank != with_heads) continue;
        const std::size_t axes = along == Along::sequences_and_heads ? outer : rank;
        const std::string which = of_several ? "in " + (part.empty() ? "the result" : part) + ", " : "";
        const std::vector<std::string>& names = names_of_axes()[rank];
        if (only_the_very_first_is_right(same)) {
            sentences.push_back(which + "only the first " + names[1] + " of the first " + names[0] +
                                " is right: is something carried on from one to the next?");
            continue;
        }
        const std::size_t before = sentences.size();
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const bool of_keys = axis == 2 && (part == "k" || part == "v");
            if (const auto words = in_common(same, axis))
                sentences.push_back(which + "along the axis of the " + plural(of_keys ? "key" : names[axis]) + " " +
                                    *words);
        }
        if (const int all = sentences.size() == before ? first_matrix_taken_for_all(same) : 0; all > 0)
            sentences.push_back(
                fmt::format("{}the first {} of the first {} is right in all {} answers that are wrong: "
                            "is something of it, such as its mask, taken for all?",
                            which, names[1], names[0], all));
    }
    return sentences;
}

}  // namespace headway::diagnosis
