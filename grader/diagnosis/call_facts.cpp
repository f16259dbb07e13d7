#include "diagnosis/call_facts.hpp"

#include "diagnosis/subject.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace headway::diagnosis {
namespace {

/// Whether all slices of a mask along this axis, counted from the last, block the same.
bool repeats_along(const Mask& mask, Index axis_from_last) {
    const Index axis = mask.rank() - axis_from_last;
    if (axis < 0 || mask.numel() == 0) return true;
    const Mask whole = mask.clone();
    Index inner = 1;
    for (Index later = axis + 1; later < whole.rank(); ++later) inner *= whole.size(later);
    const Index size = whole.size(axis);
    for (Index i = 0; i < whole.numel(); ++i)
        if (whole.data()[i] != whole.data()[i - i / inner % size * inner]) return false;
    return true;
}

/// Whether some row along the last axis blocks every key.
bool has_blind_row(const Mask& mask) {
    if (mask.numel() == 0) return false;
    const Mask whole = mask.clone();
    const Index width = whole.size(-1);
    for (const bool* row = whole.data(); row != whole.data() + whole.numel(); row += width)
        if (std::all_of(row, row + width, [](bool blocked) { return blocked; })) return true;
    return false;
}

bool blocks_something(const Mask& mask) {
    const Mask whole = mask.clone();
    return std::any_of(whole.data(), whole.data() + whole.numel(), [](bool blocked) { return blocked; });
}

/// Of what is given a number a sequence: the lengths in a cache, the counts of what is new.
void add_numbers(Facts& facts, const std::string& name, const Shape& numbers) {
    if (numbers.empty()) return;
    const bool differ = std::ranges::any_of(numbers, [&](Index one) { return one != numbers.front(); });
    const bool some_is_0 = std::ranges::count(numbers, 0) > 0;
    if (name.ends_with('s')) {
        const std::string one_of_them = name.substr(0, name.size() - 1);
        facts.flag.emplace(std::pair(name + " differ", "all " + name + " are equal"), differ);
        facts.flag.emplace(std::pair("some " + one_of_them + " is 0", "no " + one_of_them + " is 0"), some_is_0);
    } else {
        const bool all_are_0 = !differ && some_is_0;
        facts.flag.emplace(std::pair("sequences differ in " + name, "all sequences have the same " + name), differ);
        facts.flag.emplace(std::pair("some sequence has no " + name, "each sequence has " + name), some_is_0);
        facts.flag.emplace(std::pair("no sequence has " + name, "some sequence has " + name), all_are_0);
    }
    if (name != "counts") return;
    facts.flag.emplace(std::pair("some count is above 0", "all counts are 0"),
                       std::ranges::any_of(numbers, [](Index one) { return one > 0; }));
    auto tokens = facts.size.extract("T");  // the new ones
    if (!tokens) tokens = facts.size.extract("S");
    if (tokens) {
        facts.flag.emplace(std::pair("some tokens are padding", "no token is padding"),
                           std::ranges::any_of(numbers, [&](Index one) { return one < tokens.mapped(); }));
        facts.flag.emplace(std::pair("some count is above 0 and below n", "each count is 0 or n"),
                           std::ranges::any_of(numbers, [&](Index one) { return 0 < one && one < tokens.mapped(); }));
        tokens.key() = "n";
        facts.size.insert(std::move(tokens));
    }
}

/// Whether a sequence of a cache would end past all others if the padding of its chunk counted, too.
void add_ends(Facts& facts, const judge::Arguments& arguments) {
    const auto numbers = [&](std::string_view name) -> const Shape* {
        const auto found = std::ranges::find(arguments, name, &wire::Field::name);
        return found == arguments.end() ? nullptr : std::get_if<Shape>(&found->value);
    };
    const Shape *lengths = numbers("lengths"), *counts = numbers("counts");
    const auto n = facts.size.find("n");
    if (lengths == nullptr || counts == nullptr || n == facts.size.end() || lengths->empty()) return;
    if (lengths->size() != counts->size()) return;
    Index longest = 0;
    for (std::size_t b = 0; b < lengths->size(); ++b) longest = std::max(longest, (*lengths)[b] + (*counts)[b]);
    facts.flag.emplace(std::pair("some lengths[b] + n is above the longest length after the call",
                                 "no lengths[b] + n is above the longest length after the call"),
                       std::ranges::max(*lengths) + n->second > longest);
    facts.flag.emplace(std::pair("no sequence holds a token after the call", "some sequence holds a token after it"),
                       longest == 0);
}

/// How many axes x has, where a function takes only x, of any number of axes.
void add_rank(Facts& facts, const judge::Arguments& arguments) {
    constexpr std::array<std::string_view, 5> numbers{"one axis", "two axes", "three axes", "four axes", "five axes"};
    const Tensor* x = nullptr;
    for (const wire::Field& argument : arguments) {
        if (std::holds_alternative<std::string>(argument.value)) continue;
        const auto* tensor = std::get_if<Tensor>(&argument.value);
        const bool is_x = argument.name == "x" || argument.name.starts_with("x (");
        if (x != nullptr || !is_x || tensor == nullptr || !tensor->defined()) return;
        x = tensor;
    }
    if (x == nullptr) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::string axes(numbers[i]);
        facts.flag.emplace(std::pair("x has " + axes, "x does not have " + axes),
                           x->rank() == static_cast<Index>(i) + 1);
    }
}

/// A head of a module may be chosen to be as wide as it likes.
void add_widths(Facts& facts, const wire::Record& options) {
    const wire::Field* chosen = options.find("head_dim");
    const auto D = facts.size.find("D"), H = facts.size.find("H");
    if (D == facts.size.end() || H == facts.size.end()) return;
    const auto* width = chosen == nullptr ? nullptr : std::get_if<Index>(&chosen->value);
    if (width != nullptr) facts.size["d"] = *width;
    facts.size["E"] = width == nullptr ? D->second : H->second * *width;
}

}  // namespace

bool sees_nothing(const judge::Arguments& arguments) {
    return std::ranges::any_of(arguments, [](const wire::Field& argument) {
        const auto* mask = std::get_if<Mask>(&argument.value);
        if (mask == nullptr || !mask->defined() || mask->numel() == 0) return false;
        const Mask whole = mask->clone();
        return std::all_of(whole.data(), whole.data() + whole.numel(), [](bool blocked) { return blocked; });
    });
}

bool has_padding_alone(const judge::Arguments& arguments) {
    return std::ranges::any_of(arguments, [](const wire::Field& argument) {
        const auto* counts = std::get_if<Shape>(&argument.value);
        return counts != nullptr && argument.name == "counts" && !counts->empty() &&
               std::ranges::all_of(*counts, [](Index count) { return count == 0; });
    });
}

Facts facts_with_masks(const judge::Arguments& arguments) {
    Facts facts = facts_of(arguments);
    // What a mask blocks says more than its axes, and two names of one thing would hide both.
    std::erase_if(facts.flag, [](const auto& one) { return one.first.first == tells_sequences_apart; });
    for (const wire::Field& argument : arguments) {
        // Suites say more in the name of an argument: "scores (a transposed view)".
        const std::string name = verdict::name_alone(argument.name);
        if (const auto* tensor = std::get_if<Tensor>(&argument.value); tensor != nullptr && tensor->defined())
            facts.flag.emplace(std::pair(name + not_contiguous, name + " is contiguous"), !tensor->is_contiguous());
        if (const auto* several = std::get_if<bool>(&argument.value); several != nullptr && name == several_calls) {
            facts.flag.erase(std::pair(name + " is set", name + " is not set"));
            facts.flag.emplace(std::pair("several calls make the result", "one call makes the result"), *several);
            // Such a call has keys of one tile, which headers call n: S are those of all calls.
            if (auto keys = facts.size.extract("S")) {
                keys.key() = "n";
                facts.size.insert(std::move(keys));
            }
        }
        if (const auto* options = std::get_if<wire::Record>(&argument.value); options != nullptr && name == "options")
            add_widths(facts, *options);
    }
    for (const wire::Field& argument : arguments) {
        const auto* mask = std::get_if<Mask>(&argument.value);
        if (mask == nullptr) continue;
        const bool given = mask->defined(), is_padding = argument.name == "padding";
        const auto add = [&](const char* words, const char* otherwise, bool holds) {
            facts.flag.emplace(std::pair(words, otherwise), given && holds);
        };
        if (is_padding) {
            add("some key is padding", "no key is padding", given && blocks_something(*mask));
            add("a sequence is padding alone", "no sequence is padding alone", given && has_blind_row(*mask));
            add("sequences differ in padding", "all sequences have the same padding",
                given && !repeats_along(*mask, 4));
            continue;
        }
        add("the mask blocks a key", "no key is blocked by a mask", given && blocks_something(*mask));
        add("a query sees no key", "each query sees a key", given && has_blind_row(*mask));
        add("queries have different masks", "all queries have one mask", given && !repeats_along(*mask, 2));
        add("heads have different masks", "all heads have one mask", given && !repeats_along(*mask, 3));
        add("sequences have different masks", "all sequences have one mask", given && !repeats_along(*mask, 4));
    }
    for (const wire::Field& argument : arguments)
        if (const auto* numbers = std::get_if<Shape>(&argument.value)) add_numbers(facts, argument.name, *numbers);
    add_ends(facts, arguments);
    add_rank(facts, arguments);
    return facts;
}

}  // namespace headway::diagnosis
