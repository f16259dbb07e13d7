#include "grading/causes_in_loops.hpp"

#include "submission/endless_numbers.hpp"
#include "submission/loops.hpp"
#include "submission/uncut_pieces.hpp"
#include "submission/words_of_files.hpp"
#include "verdict/phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway::cli {

using verdict::Failure;
using Question = ReadSources::Question;

namespace {

/// "That loop is in rotate_pairs. ", if another function was called.
std::string of_another(const build::FunctionAround& function, const Failure& failure) {
    const bool is_the_called = function.name.empty() || function.name == verdict::name_alone(failure.function);
    return is_the_called ? "" : "That loop is in " + function.name + ". ";
}

}  // namespace

void tell_what_continue_skips(Failure& failure, const ReadSources& sources) {
    if (!failure.at) return;
    const auto& told = sources.about(Question::what_continue_skips, *failure.at, [&]() -> std::optional<std::string> {
        const build::SourceLines& own = sources.lines();
        const auto function = own.function_around(*failure.at);
        const auto step = function ? build::skipped_step(*function, failure.at->line) : std::nullopt;
        const auto changes = step ? own.at(failure.at->file, step->changes) : std::nullopt;
        if (!changes) return {};
        return fmt::format("{}The continue in line {} goes past line {}, where {} changes: {}",
                           of_another(*function, failure), step->skips, step->changes, step->name, changes->text);
    });
    if (told) failure.advice = told;
}

namespace {

std::string in_words(const build::StaysTrue& loop) {
    using Why = build::StaysTrue::Why;
    const std::string& number = loop.number;
    switch (loop.why) {
        case Why::counter_grows_to_it:
            return fmt::format(
                "Where {0} is infinite, {1} never becomes false: {2} grows until it is infinite as well, and "
                "infinity <= infinity. Look for infinite numbers before the loop.",
                number, loop.condition, loop.counter);
        case Why::counter_never_gets_to:
            return fmt::format(
                "Where {0} is infinite, {1} never becomes false: no sum of finite numbers gets there. Look for "
                "infinite numbers before the loop.",
                number, loop.condition);
        case Why::infinity_stays:
            return fmt::format(
                "Where {0} is infinite, {1} never becomes false: it stays infinite in each round. Look for infinite "
                "numbers before the loop.",
                number, loop.condition);
        case Why::zero_stays:
            return fmt::format(
                "Where {0} is 0, {1} never becomes false: it stays 0 in each round. Look for zeros before the loop.",
                number, loop.condition);
    }
    return {};
}

std::string in_words(const build::VariableStep& loop) {
    if (loop.set_in == 0)
        return fmt::format("{0} is added to {1} in each round: where {0} is 0, the loop never ends.", loop.step,
                           loop.counter);
    return fmt::format(
        "{0} is added to {1} in each round, and may be 0: line {2} sets it to {3} / {4}, which is 0 where {3} is below "
        "{4}.",
        loop.step, loop.counter, loop.set_in, loop.divided, loop.divisor);
}

/// That no round changes what the condition of the one loop in this line reads; empty if one may.
std::string unchanged_in_words(const std::vector<build::Loop>& around, int line) {
    const auto begins_there = [&](const build::Loop& loop) { return loop.line == line; };
    const auto loop = std::ranges::find_if(around, begins_there);
    if (loop == around.end() || std::ranges::count_if(around, begins_there) > 1) return {};
    if (!loop->handed_over.empty())
        return fmt::format(
            "Its condition reads {}. No line of the loop changes that, unless a function does that it is handed to: is "
            "a step missing?",
            verdict::listed(loop->handed_over));
    if (loop->unchanged.empty()) return {};
    const std::vector<std::string>& names = loop->unchanged;
    return fmt::format("Its condition reads {}, and nothing in the loop changes {}.", verdict::listed(names),
                       names.size() == 1   ? "it"
                       : names.size() == 2 ? "either"
                                           : "any of them");
}

/// Of the one `do` in this line, its condition, which stands at its end.
std::optional<std::string> condition_below(const build::FunctionAround& function, const verdict::SourceLine& of,
                                           const build::SourceLines& own) {
    const std::vector<build::Word>& words = function.words;
    std::size_t at = 0;
    while (at < words.size() && (words[at].line != of.line || words[at].text != "do")) ++at;
    const std::vector<std::size_t> closing = build::closing_brackets(words);
    if (at + 1 >= words.size() || words[at + 1].text != "{") return {};
    const std::size_t end = closing[at + 1];
    if (end + 1 >= words.size() || words[end + 1].text != "while") return {};
    const auto condition = own.at(of.file, words[end + 1].line);
    if (!condition) return {};
    return fmt::format("Its condition, in line {}, was true in each round. Can it ever be false?  {}", condition->line,
                       condition->text);
}

}  // namespace

void tell_of_a_step_that_sets(Failure& failure, const ReadSources& sources) {
    if (!failure.at) return;
    const std::string file = failure.at->file;
    const std::vector<build::Word>& words = sources.words_of(file);
    // The line where its time was up may be a helper's, and do its work.
    for (std::size_t i = 1; i + 2 < words.size(); ++i) {
        if (words[i].text != "=" || words[i + 1].text != "+" || !words[i - 1].is_name()) continue;
        const auto begins = [](const std::string& text) {
            return text == ";" || text == "{" || text == "}" || text == ")";
        };
        const auto at = sources.lines().at(file, words[i].line);
        // s = +tile is meant; float s =+ tile declares.
        if (i < 2 || !begins(words[i - 2].text) || !at || at->text.find("=+ ") == std::string::npos) continue;
        failure.at = at;
        failure.advice =
            fmt::format("{0} =+ sets {0} to the same number in each round: += adds to it.", words[i - 1].text);
        return;
    }
}

void tell_for_what_a_loop_goes_on(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.advice) return;
    const auto& words = sources.about(Question::for_what_it_goes_on, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        if (const auto numbers = build::stays_true(*function, failure.at->line)) return in_words(*numbers);
        const auto step = build::variable_step(*function, failure.at->line);
        if (step) return in_words(*step);
        const std::string unchanged =
            unchanged_in_words(build::loops_around(*function, failure.at->line), failure.at->line);
        return unchanged.empty() ? condition_below(*function, *failure.at, sources.lines()) : std::optional(unchanged);
    });
    if (!words) return;
    const auto function = sources.lines().function_around(*failure.at);
    failure.advice = of_another(*function, failure) + *words;
}

namespace {

/// "index 7 is out of range for axis 1 of size 7"
bool is_one_too_far(const std::string& message) {
    const std::size_t at = message.find("index ");
    long index = 0, axis = 0, size = 0;
    return at != std::string::npos &&
           std::sscanf(message.c_str() + at, "index %ld is out of range for axis %ld of size %ld", &index, &axis,
                       &size) == 3 &&
           index == size;
}

bool is_in_words(const std::string& text, const std::string& name) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
        if ((at == 0 || !is_letter(text[at - 1])) && !is_letter(text[std::min(at + name.size(), text.size() - 1)]))
            return true;
    return false;
}

/// Of "index 7 is out of range for axis 1".
std::size_t axis_without_it(const std::string& message) {
    constexpr std::string_view words = "out of range for axis ";
    const std::size_t at = message.find(words);
    return at == std::string::npos ? 0 : static_cast<std::size_t>(std::atoi(message.c_str() + at + words.size()));
}

/// Whether the name stands in an index for that axis, x(b, h, name); true if no element is asked so.
bool counts_axis(const std::string& text, const std::string& name, std::size_t axis) {
    const std::vector<build::Word> words = build::words_of(text);
    const std::vector<std::size_t> closing = build::closing_brackets(words);
    bool is_asked = false;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const bool is_call = words[i].is_name() && words[i + 1].text == "(" && closing[i + 1] < words.size();
        if (!is_call || words[i].text == "for" || words[i].text == "while" || words[i].text == "if") continue;
        std::size_t index = 0;
        bool has_name = false;
        for (std::size_t k = i + 2; k < closing[i + 1]; ++k) {
            if (words[k].text == "(" || words[k].text == "[") {
                has_name |= index == axis && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(k),
                                                         words.begin() + static_cast<std::ptrdiff_t>(closing[k]),
                                                         [&](const build::Word& word) { return word.text == name; });
                k = closing[k];
                continue;
            }
            if (words[k].text == ",") ++index;
            has_name |= index == axis && words[k].text == name;
        }
        if (index == 0 || index < axis) continue;
        if (has_name) return true;
        is_asked = true;
    }
    return !is_asked;
}

/// The innermost loop around the line that goes on while what the line indexes by is <= something.
/// @param axis  which has no such position
std::optional<std::string> ends_too_late(const verdict::SourceLine& line, const build::SourceLines& own,
                                         const build::FunctionAround& function, std::size_t axis) {
    const std::vector<build::Loop> around = build::loops_around(function, line.line);
    for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
        const auto head = own.at(line.file, loop->line);
        const std::size_t at = head ? head->text.find(" <= ") : std::string::npos;
        if (at == std::string::npos) continue;
        const std::size_t begin = head->text.find_last_of(" (;", at - 1) + 1;
        const std::string name = head->text.substr(begin, at - begin);
        if (name.empty() || !is_in_words(line.text, name) || !counts_axis(line.text, name, axis)) continue;
        return fmt::format("The loop of line {} goes on while {} is <= its bound: with < it ends one round earlier. {}",
                           loop->line, name, head->text);
    }
    return {};
}

/// Of `p < cache.lengths[b] + n`, where the loop's body changes cache.lengths[b]: that, and the line.
std::optional<std::pair<std::string, int>> end_that_moves(const std::vector<build::Word>& words, int line) {
    const std::vector<std::size_t> closing = build::closing_brackets(words);
    const auto is = [&](std::size_t i, const char* text) { return i < words.size() && words[i].text == text; };
    constexpr int most_loops = 8, most_tried = 8;  // of loops around the line, and names in one head
    int loops = 0;
    for (std::size_t loop = 0; loop + 1 < words.size() && loops < most_loops; ++loop) {
        if (!is(loop, "for") || !is(loop + 1, "(") || words[loop].line > line) continue;
        const std::size_t close = closing[loop + 1];
        if (close + 1 >= words.size() || !is(close + 1, "{") || closing[close + 1] >= words.size()) continue;
        const std::size_t end = closing[close + 1];
        if (words[end].line < line) continue;
        ++loops;
        int tried = 0;
        for (std::size_t i = loop + 2; i < close && tried < most_tried; ++i) {
            if (!words[i].is_name() || is(i - 1, ".") || !(is(i + 1, ".") || is(i + 1, "["))) continue;
            ++tried;
            std::size_t last = i;  // behind the member or element: what follows a . or stands in [ ] belongs to it
            while (is(last + 1, ".") || is(last + 1, "[")) last = is(last + 1, ".") ? last + 2 : closing[last + 1];
            if (last >= close || is(last + 1, "(")) continue;
            const std::size_t size = last + 1 - i;
            for (std::size_t k = close + 1; k + size < end; ++k) {
                const bool is_same = std::equal(words.begin() + static_cast<std::ptrdiff_t>(i),
                                                words.begin() + static_cast<std::ptrdiff_t>(i + size),
                                                words.begin() + static_cast<std::ptrdiff_t>(k),
                                                [](const auto& a, const auto& b) { return a.text == b.text; });
                if (!is_same) continue;
                const bool grows = (is(k - 1, "+") && is(k - 2, "+")) || (is(k + size, "+") && is(k + size + 1, "+")) ||
                                   (is(k + size, "+") && is(k + size + 1, "="));
                std::string text;
                for (std::size_t n = i; n <= last; ++n) text += words[n].text;
                if (grows) return std::pair(std::move(text), words[k].line);
            }
        }
    }
    return {};
}

}  // namespace

void tell_whose_end_moves(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find(" is out of range for axis ") == std::string::npos) return;
    const auto& told = sources.about(Question::whose_end_moves, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        const auto moves = function ? end_that_moves(function->words, failure.at->line) : std::nullopt;
        if (!moves) return {};
        return fmt::format(
            "The end of that loop moves in each round: its head reads {0}, and line {1} changes it. Work out the end "
            "before the loop, or change {0} behind it.",
            moves->first, moves->second);
    });
    if (told) failure.advice = told;
}

void tell_what_counts_another(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find(" is out of range for axis ") == std::string::npos) return;
    const auto& told = sources.about(Question::what_counts, *failure.at, [&]() -> std::optional<std::string> {
        const build::SourceLines& own = sources.lines();
        const auto function = own.function_around(*failure.at);
        const auto loop = function ? build::other_counter_around(*function, failure.at->line) : std::nullopt;
        const auto head = loop ? own.at(failure.at->file, loop->line) : std::nullopt;
        if (!head && function && is_one_too_far(failure.message))
            return ends_too_late(*failure.at, own, *function, axis_without_it(failure.message));
        if (!head) return {};
        return fmt::format(
            "It is in the loop of line {0}, whose condition reads {1} and whose head counts {2}: such a loop goes on "
            "until something stops it. Is {1} meant in place of {2}? {3}",
            loop->line, loop->asked, loop->counted, head->text);
    });
    if (told) failure.advice = told;
}

void tell_which_piece_is_not_cut(Failure& failure, const ReadSources& sources) {
    if (!failure.at || !failure.advice || !failure.advice->starts_with("That reaches past the end. If the axis is cut"))
        return;
    const auto& told = sources.about(Question::which_is_not_cut, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        std::string ends, cut;
        for (const build::UncutPiece& piece : build::uncut_pieces(*function, failure.at->line)) {
            ends +=
                fmt::format("{} line {}, {} is {}", ends.empty() ? "In" : ", and in", piece.line, piece.end, piece.sum);
            cut += fmt::format("{}std::min<Index>({}, {})", cut.empty() ? "" : " and ", piece.sum, piece.bound);
        }
        if (ends.empty()) return {};
        return fmt::format("That reaches past the end. {}, also for the last piece, which may be shorter: write {}.",
                           ends, cut);
    });
    if (told) failure.advice = told;
}

void tell_what_leaves_the_end(verdict::FunctionDiagnosis& function, const ReadSources& sources) {
    if (!function.at) return;
    const auto is_of_an_end = [](const std::string& sentence) {
        return sentence.ends_with(verdict::end_is_never_written);
    };
    if (std::ranges::none_of(function.sentences, is_of_an_end)) return;
    const auto around = sources.lines().function_around(*function.at);
    const auto loop = around ? build::whole_pieces(*around) : std::nullopt;
    if (loop)
        function.sentences.push_back(
            fmt::format("the loop in line {} goes on only while {}: it does not reach what is left over after the last "
                        "whole piece",
                        loop->line, loop->condition));
}

}  // namespace headway::cli
