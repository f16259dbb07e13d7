#include "grading/causes_in_lines.hpp"

#include "submission/function_places.hpp"
#include "submission/source_words.hpp"
#include "submission/words_of_files.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headway::cli {

using verdict::Failure;

namespace {

bool is(const Words& words, std::size_t i, const char* text) { return i < words.size() && words[i].text == text; }

/// The { of the body of a function, whose name stands at `name`, and the } that closes it.
std::optional<std::pair<std::size_t, std::size_t>> body_of(const Words& words, std::size_t name) {
    std::size_t begin = name;
    while (begin < words.size() && !is(words, begin, "{") && !is(words, begin, ";")) ++begin;
    if (!is(words, begin, "{")) return {};
    const std::size_t end = build::closing_brackets(words)[begin];
    return end < words.size() ? std::optional(std::pair(begin, end)) : std::nullopt;
}

/// The lines of each `if` of a function that returns.
std::vector<int> ways_out(const Words& words) {
    const std::vector<std::size_t> closing = build::closing_brackets(words);
    std::vector<int> lines;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!is(words, i, "if") || !is(words, i + 1, "(")) continue;
        const std::size_t begin = closing[i + 1] + 1;
        const std::size_t end = is(words, begin, "{") ? closing[begin] : begin + 1;
        bool returns = false;
        for (std::size_t k = begin; k < std::min(end, words.size()); ++k) returns |= words[k].text == "return";
        if (returns) lines.push_back(words[i].line);
    }
    return lines;
}

/// The lines in which a function calls itself, and no other's member of that name.
std::vector<int> own_calls(const build::FunctionAround& function) {
    const Words& words = function.words;
    std::vector<int> lines;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        const bool is_another = is(words, i - 1, ".") || is(words, i - 1, ":") || is(words, i - 1, ">");
        if (!function.name.empty() && words[i].text == function.name && is(words, i + 1, "(") && !is_another &&
            words[i].line > words.front().line)
            lines.push_back(words[i].line);
    }
    return lines;
}

/// The function of a file that calls itself, if there is one alone: the report of a full stack shows its end only.
std::optional<build::FunctionAround> the_one_that_calls_itself(const std::string& file, const ReadSources& sources) {
    std::optional<build::FunctionAround> found;
    for (const build::DefinedFunction& defined : sources.functions_of(file)) {
        auto function = sources.lines().function_around({file, defined.line, ""});
        if (!function || own_calls(*function).empty()) continue;
        if (found) return {};
        found = std::move(function);
    }
    return found;
}

/// "n--" of a line with f(x, n--), or "n++".
std::string moved_too_late(const Words& words, int line) {
    for (std::size_t i = 1; i + 3 < words.size(); ++i) {
        if (words[i].line != line || !words[i].is_name() || !(is(words, i + 3, ")") || is(words, i + 3, ","))) continue;
        for (const char* sign : {"-", "+"})
            if (is(words, i + 1, sign) && is(words, i + 2, sign)) return words[i].text + sign + sign;
    }
    return {};
}

/// The parameter of the function that is a mask; empty if there is none.
std::string mask_parameter(const Words& words) {
    for (std::size_t i = 2; i + 1 < words.size() && !is(words, i, "{"); ++i)
        if (words[i].is_name() && is(words, i - 1, "&") && is(words, i - 2, "Mask")) return words[i].text;
    return {};
}

/// Whether it is that, or declared as another name for it: const Mask& blocked = mask;
bool is_named_for(const Words& words, const std::string& name, const std::string& mask) {
    if (name == mask) return true;
    for (std::size_t i = 2; i + 3 < words.size(); ++i)
        if (words[i].text == name && is(words, i - 1, "&") && is(words, i - 2, "Mask") && is(words, i + 1, "=") &&
            words[i + 2].text == mask && is(words, i + 3, ";"))
            return true;
    return false;
}

}  // namespace

void tell_of_a_throw_left(Failure& failure, const ReadSources& sources) {
    const auto& place = sources.definition_of(failure.function);
    if (!place) return;
    const Words& words = sources.words_of(place->file);
    const auto name = std::ranges::find_if(
        words, [&](const build::Word& word) { return word.line == place->line && word.text == failure.function; });
    const bool is_void = name != words.begin() && name != words.end() && std::prev(name)->text == "void";
    const auto body = body_of(words, static_cast<std::size_t>(name - words.begin()));
    if (!body) return;
    std::size_t left = 0;
    for (std::size_t i = body->first + 1; i + 1 < body->second; ++i)
        if (is(words, i, "throw") && is(words, i + 1, "NotImplemented")) {
            if (left > 0) return;  // which of them it was is not known
            left = i;
        }
    if (left == 0) return;
    std::size_t end = left;
    while (end < body->second && !is(words, end, ";")) ++end;
    const bool is_first = left == body->first + 1, is_last = end + 1 == body->second;
    if (is_first && is_last) return;  // a stub as it was handed out
    failure.at = sources.lines().at(place->file, words[left].line);
    if (!failure.at) return;
    // What stands in a block of its own may be a way that is left for later.
    failure.message = fmt::format("{} still throws NotImplemented", failure.function);
    failure.advice = is_first             ? "The code below it never runs: delete that line."
                     : is_last && is_void ? "It returns nothing: delete that line, if nothing is missing above it."
                     : is_last
                         ? "What is written above it ends there, unless it has returned before: put what is to be "
                           "returned in its place."
                         : "Some call gets there: write what is missing in its place, or delete it.";
}

void tell_who_hands_on_what_is_refused(Failure& failure, const build::ThrowSite& site, const ReadSources& sources) {
    if (!site.is_the_throw || site.callers.empty()) return;
    const auto throws_in = sources.lines().function_around(site.line);
    const verdict::SourceLine& caller = site.callers.front();
    const auto called_in = sources.lines().function_around(caller);
    if (!throws_in || !called_in || throws_in->name != called_in->name || !throws_in->calls_itself()) return;
    failure.advice = fmt::format(
        "{} calls itself in line {}, and refuses what it hands on there: end the recursion one call earlier.",
        throws_in->name, caller.line);
}

void tell_what_refuses(Failure& failure) {
    if (!failure.at || failure.message.find("SIGABRT") == std::string::npos) return;
    const Words words = build::words_of(failure.at->text);
    for (std::size_t i = 0; i < words.size(); ++i)
        if (is(words, i, "assert") && is(words, i + 1, "("))
            failure.advice =
                "assert() ends the whole program, and with NDEBUG it does nothing: if (!fits) throw "
                "std::invalid_argument(\"…\"); refuses. So should each other assert.";
}

void tell_what_a_remainder_gives(Failure& failure) {
    const auto says = [&](const char* text) { return failure.message.find(text) != std::string::npos; };
    const bool is_below_0 = says("slice: [-") || says("index -") || says("position -");
    if (failure.at && is_below_0 && failure.at->text.find(" % ") != std::string::npos)
        failure.advice =
            "% keeps the sign: -1 % 5 is -1 in C++. Begin at the first position that there is, as with "
            "std::max<Index>(0, …), or add the divisor before: (p % w + w) % w.";
}

void tell_what_calls_itself(Failure& failure, const std::vector<verdict::SourceLine>& callers,
                            const ReadSources& sources) {
    const auto says = [&](const char* text) { return failure.message.find(text) != std::string::npos; };
    if (!failure.at || failure.advice ||
        !(says("recurses without end") || says("used up the stack") || says("uses up the stack")))
        return;
    auto around = sources.lines().function_around(*failure.at);
    std::vector<int> calls = around ? own_calls(*around) : std::vector<int>();
    // Where the stack ended may be a function that is called on the way.
    for (auto caller = callers.begin(); caller != callers.end() && calls.empty(); ++caller) {
        around = sources.lines().function_around(*caller);
        if (around) calls = own_calls(*around);
    }
    if (calls.empty()) {
        around = the_one_that_calls_itself(failure.at->file, sources);
        if (around) calls = own_calls(*around);
    }
    constexpr std::size_t most_told = 3;
    if (calls.empty() || calls.size() > most_told) return;
    const auto at = [&](int line) { return sources.lines().at(failure.at->file, line); };
    const auto call = at(calls.front());
    if (!call) return;
    std::string told = fmt::format("{} calls itself in line {}: {}", around->name, call->line, call->text);
    static const std::set<std::string> given = {"split_heads",
                                                "merge_heads",
                                                "causal_mask",
                                                "padding_mask",
                                                "scaled_dot_product_attention",
                                                "scaled_dot_product_context"};
    if (given.contains(around->name) && calls.size() == 1)
        told += fmt::format("  Is given::{} meant? Without given:: it is the function itself.", around->name);
    if (const std::string moved = moved_too_late(around->words, call->line); !moved.empty()) {
        failure.advice = told + fmt::format("  {0} hands on the number as it was before: write {1} {2} 1.", moved,
                                            moved.substr(0, moved.size() - 2), moved.back() == '-' ? "-" : "+");
        return;
    }
    std::vector<int> ends = ways_out(around->words);
    if (ends.empty() || ends.front() > call->line)
        told += "  Nothing returns before that: ask first whether anything is left to do.";
    std::erase_if(ends, [&](int line) { return line > call->line; });
    const auto condition = ends.empty() || ends.size() > most_told ? std::nullopt : at(ends.back());
    if (condition) {
        std::vector<std::string> lines;
        lines.reserve(ends.size());
        for (const int line : ends) lines.push_back(std::to_string(line));
        told += fmt::format("  It ends by line{} {} alone, and for what it hands on {} true: {}",
                            ends.size() == 1 ? "" : "s", verdict::listed(std::move(lines)),
                            ends.size() == 1 ? "that is never" : "none of them is ever", condition->text);
    }
    failure.advice = std::move(told);
}

void tell_what_a_mask_may_lack(Failure& failure, const ReadSources& sources) {
    if (!failure.at || !failure.advice ||
        failure.message.find("element access: the mask is undefined") == std::string::npos)
        return;
    const auto around = sources.lines().function_around(*failure.at);
    if (!around || std::ranges::any_of(around->words, [](const build::Word& word) { return word.text == "expand"; }))
        return;
    const Words& words = around->words;
    const std::string mask = mask_parameter(words);
    if (mask.empty()) return;
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if (words[i].line != failure.at->line || !is(words, i + 1, "(") || !is_named_for(words, words[i].text, mask))
            continue;
        failure.advice = fmt::format(
            "{0} may be a Mask{{}}, which blocks nothing, and may have fewer axes than the scores, or axes of size 1. "
            "Where {0}.defined(), expand it to their shape first: {0}.expand(scores.shape()).",
            mask);
        return;
    }
}

void tell_what_a_copy_would_lose(Failure& failure) {
    if (!failure.at || failure.message.find("call contiguous() first") == std::string::npos) return;
    const std::size_t view = failure.at->text.find(".view(");
    if (view == std::string::npos) return;
    for (const char* writes : {".copy_from(", ".fill("})
        if (failure.at->text.find(writes, view) != std::string::npos)
            failure.advice =
                "It is written through this view, and contiguous() would make a copy, which nobody sees: leave out "
                "view(), and cut what is written to by slice(), select() or [ ] alone.";
}

void tell_what_a_comma_leaves(Failure& failure) {
    if (!failure.at) return;
    const Words words = build::words_of(failure.at->text);
    for (std::size_t i = 1; i + 4 < words.size(); ++i) {
        const build::Word& of = words[i - 1];
        const bool is_index = is(words, i, "[") && of.is_name() && of.text != "return" && of.text != "auto";
        if (!is_index || !words[i + 1].is_name() || !is(words, i + 2, ",")) continue;
        std::size_t end = i + 3, depth = 0;
        while (end < words.size() && (depth > 0 || !is(words, end, "]"))) {
            if (is(words, end, "(") || is(words, end, "[")) ++depth;
            if (depth > 0 && (is(words, end, ")") || is(words, end, "]"))) --depth;
            ++end;
        }
        if (!is(words, end, "]") || !words[i + 3].is_name()) continue;
        failure.advice = fmt::format(
            "{0}[{1}, …] is {0}[…]: in square brackets only what stands behind the comma counts, here for axis 0. "
            "Write {0}[{1}][…].",
            of.text, words[i + 1].text);
        return;
    }
}

}  // namespace headway::cli
