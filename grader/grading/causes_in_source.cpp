#include "grading/causes_in_source.hpp"

#include "submission/endless_numbers.hpp"
#include "submission/function_places.hpp"
#include "submission/loops.hpp"
#include "submission/source_words.hpp"
#include "submission/uncut_pieces.hpp"
#include "submission/words_of_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace headway::cli {

using verdict::Failure;
using Question = ReadSources::Question;

bool ReadSources::are_read() const {
    if (!are_read_) are_read_ = build::is_read_for_advice(files_);
    return *are_read_;
}

const std::optional<build::FoundAt>& ReadSources::definition_of(const std::string& function) const {
    const auto [known, is_new] = defined_.try_emplace(function);
    if (is_new && are_read()) known->second = build::definition_of(function, files_);
    return known->second;
}

const std::vector<build::DefinedFunction>& ReadSources::functions_of(const std::string& file) const {
    const auto [known, is_new] = functions_.try_emplace(file);
    const auto found = std::ranges::find(files_, file, [](const auto& one) { return one.path.string(); });
    if (is_new && found != files_.end() && are_read()) known->second = build::functions_defined_in(found->text);
    return known->second;
}

const std::vector<build::Word>& ReadSources::words_of(const std::string& file) const {
    const auto [known, is_new] = words_.try_emplace(file);
    const auto found = std::ranges::find(files_, file, [](const auto& one) { return one.path.string(); });
    if (is_new && found != files_.end() && are_read()) known->second = build::words_without_directives(found->text);
    return known->second;
}

const std::optional<ReadSources::MaskReader>& ReadSources::mask_reader_around(const verdict::SourceLine& line) const {
    const auto [known, is_new] = mask_readers_.try_emplace({line.file, line.line});
    if (!is_new) return known->second;
    if (const auto function = lines_.function_around(line))
        known->second = MaskReader{function->name, build::unasked_mask_read(*function)};
    return known->second;
}

void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const ReadSources& sources) {
    constexpr std::size_t most_told = 8;
    if (!function.at || function.at->text.find("Tensor::empty(") == std::string::npos) return;
    const auto around = sources.lines().function_around(*function.at);
    if (!around) return;
    std::set<int> lines;
    for (std::size_t i = 3; i < around->words.size(); ++i)
        if (around->words[i].text == "empty" && around->words[i - 1].text == ":" &&
            around->words[i - 3].text == "Tensor" && around->words[i].line != function.at->line)
            lines.insert(around->words[i].line);
    if (lines.empty() || lines.size() > most_told) return;
    std::string list;
    for (const int line : lines)
        list += (list.empty() ? "" : line == *lines.rbegin() ? " and " : ", ") + std::to_string(line);
    function.sentences.push_back(
        fmt::format("that function has Tensor::empty in line{} {}, too: look whether all of it is written there first",
                    lines.size() == 1 ? "" : "s", list));
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
            fmt::format("the loop in line {} goes on only while {}: what is left over behind "
                        "the last whole piece, it does not reach",
                        loop->line, loop->condition));
}

void tell_what_hides_a_member(verdict::Diagnosis& diagnosis, const std::vector<verdict::CompilerMessage>& warnings,
                              const std::vector<build::SourceFile>& files) {
    const auto hides_what_is_followed = [&](const verdict::CompilerMessage& warning) {
        const std::string& text = warning.at.text;
        const std::size_t equals = text.find(" =");
        const bool is_of_a_member = warning.text.find("shadows a member") != std::string::npos ||
                                    warning.text.find("shadows a field") != std::string::npos;
        // The first = of a parameter's line stands behind its bracket.
        if (!is_of_a_member || equals == std::string::npos || text.find('(') < equals) return false;
        const std::string name = text.substr(text.rfind(' ', equals - 1) + 1, equals - text.rfind(' ', equals - 1) - 1);
        return std::ranges::any_of(files, [&](const build::SourceFile& file) {
            return file.text.find(name + "->") != std::string::npos || file.text.find("*" + name) != std::string::npos;
        });
    };
    if (warnings.empty() || !build::is_read_for_advice(files)) return;
    const auto warning = std::ranges::find_if(warnings, hides_what_is_followed);
    if (warning == warnings.end()) return;
    for (verdict::FunctionDiagnosis& function : diagnosis.functions)
        if (std::ranges::count(function.mistakes, "used_after_freed") +
                std::ranges::count(function.mistakes, "null_pointer_followed") >
            0)
            function.sentences.push_back(
                fmt::format("{}:{}: {}  {}", warning->at.file, warning->at.line, warning->at.text, warning->advice));
}

void name_what_lacks_a_return(Failure& failure, const ReadSources& sources) {
    constexpr std::string_view ends = " can end without returning a value";
    const std::string told = "your " + failure.function + std::string(ends);
    if (!failure.sanitizer || !failure.message.starts_with(told)) return;
    const std::vector<build::DefinedFunction>& functions = sources.functions_of(failure.sanitizer->file);
    const auto at = std::ranges::find(functions, failure.sanitizer->line, &build::DefinedFunction::line);
    if (at != functions.end()) failure.message.replace(0, told.size(), "your " + at->name + std::string(ends));
}

void tell_what_clone_keeps(Failure& failure, const ReadSources& sources) {
    const bool recurses = failure.message.find("recurses without end") != std::string::npos;
    if (!recurses || !failure.at || failure.at->text.find("clone()") == std::string::npos) return;
    failure.advice = "clone() keeps the strides: what was not contiguous is not contiguous now.";
    if (!sources.are_read()) return;
    *failure.advice += sources.definition_of("contiguous")
                           ? " To lay it out in rows, write it into Tensor::empty(x.shape()) with copy_from(x)."
                           : " contiguous() gives a row-major one.";
}

void tell_what_continue_skips(Failure& failure, const ReadSources& sources) {
    if (!failure.at) return;
    const auto& told = sources.about(Question::what_continue_skips, *failure.at, [&]() -> std::optional<std::string> {
        const build::SourceLines& own = sources.lines();
        const auto function = own.function_around(*failure.at);
        const auto step = function ? build::skipped_step(*function, failure.at->line) : std::nullopt;
        const auto changes = step ? own.at(failure.at->file, step->changes) : std::nullopt;
        if (!changes) return {};
        return fmt::format("The continue in line {} goes past line {}, where {} changes: {}", step->skips,
                           step->changes, step->name, changes->text);
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

/// Of a loop of which no round changes what its condition reads; empty for others.
std::string in_words(const std::vector<build::Loop>& around, int line) {
    const auto begins_there = [&](const build::Loop& loop) { return loop.line == line; };
    const auto loop = std::ranges::find_if(around, begins_there);
    if (loop == around.end() || std::ranges::count_if(around, begins_there) > 1 || loop->unchanged.empty()) return {};
    const std::vector<std::string>& names = loop->unchanged;
    std::string list;
    for (std::size_t i = 0; i < names.size(); ++i)
        list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return fmt::format("Its condition reads {}, and nothing in the loop changes {}.", list,
                       names.size() == 1   ? "it"
                       : names.size() == 2 ? "either"
                                           : "any of them");
}

}  // namespace

void tell_for_what_a_loop_goes_on(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.advice) return;
    const auto& words = sources.about(Question::for_what_it_goes_on, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        if (const auto numbers = build::stays_true(*function, failure.at->line)) return in_words(*numbers);
        const auto step = build::variable_step(*function, failure.at->line);
        if (step) return in_words(*step);
        const std::string unchanged = in_words(build::loops_around(*function, failure.at->line), failure.at->line);
        return unchanged.empty() ? std::nullopt : std::optional(unchanged);
    });
    if (!words) return;
    const auto function = sources.lines().function_around(*failure.at);
    const std::string called = failure.function.substr(0, failure.function.find(" ("));
    failure.advice = function->name.empty() || function->name == called
                         ? *words
                         : fmt::format("That loop is in {}. {}", function->name, *words);
}

void tell_what_counts_another(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find(" is out of range for axis ") == std::string::npos) return;
    const auto& told = sources.about(Question::what_counts, *failure.at, [&]() -> std::optional<std::string> {
        const build::SourceLines& own = sources.lines();
        const auto function = own.function_around(*failure.at);
        const auto loop = function ? build::other_counter_around(*function, failure.at->line) : std::nullopt;
        const auto head = loop ? own.at(failure.at->file, loop->line) : std::nullopt;
        if (!head) return {};
        return fmt::format(
            "It is in the loop of line {0}, whose condition reads {1} and whose head counts {2}: such a loop goes on "
            "until something stops it. Is {1} meant in place of {2}? {3}",
            loop->line, loop->asked, loop->counted, head->text);
    });
    if (told) failure.advice = told;
}

void tell_how_a_sum_begins(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("= b: a tensor is undefined") == std::string::npos) return;
    const std::size_t end = failure.at->text.find_first_of(" +-");
    if (end == std::string::npos || end == 0) return;
    const std::string name = failure.at->text.substr(0, end);
    const std::string_view rest = std::string_view(failure.at->text).substr(end);
    if (!rest.starts_with(" += ") && !rest.starts_with(" -= ")) return;
    const auto& told = sources.about(Question::how_a_sum_begins, *failure.at, [&]() -> std::optional<std::string> {
        // The last that is said of it above the line must be that it is a Tensor, without a value.
        const std::vector<build::Word>& words = sources.words_of(failure.at->file);
        std::size_t last = 0;
        for (std::size_t i = 1; i + 3 < words.size() && words[i].line < failure.at->line; ++i)
            if (words[i].text == name) last = i;
        if (last == 0 || words[last - 1].text != "Tensor") return {};
        const std::size_t behind = words[last + 1].text == "{" && words[last + 2].text == "}" ? last + 3 : last + 1;
        if (words[behind].text != ";") return {};
        return fmt::format(
            "{0} holds nothing when something is added to it for the first time: begin with Tensor {0} = "
            "Tensor::zeros(…), in the shape of the result.",
            name);
    });
    if (told) failure.advice = told;
}

namespace {

/// Of one line: each is looked for in all of its function.
constexpr int most_names = 16;

/// Where a local variable is declared as "Type name;", if that is all that is said of it above the line; else 0.
std::size_t only_declared(const std::string& name, const std::vector<build::Word>& words, int line) {
    std::size_t found = 0;
    for (std::size_t i = 1; i + 3 < words.size() && words[i].line < line; ++i) {
        if (words[i].text != name || words[i - 1].text == ".") continue;
        const std::size_t behind = words[i + 1].text == "{" && words[i + 2].text == "}" ? i + 3 : i + 1;
        if (found != 0 || !words[i - 1].is_name() || words[behind].text != ";") return 0;
        found = i;
    }
    return found;
}

bool defines_type(const std::vector<build::Word>& words, const std::string& type) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if ((words[i].text == "struct" || words[i].text == "class" || words[i].text == "using") &&
            words[i + 1].text == type)
            return true;
    return false;
}

}  // namespace

void tell_what_was_never_made(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.message.find("element access: a tensor is undefined (") == std::string::npos) return;
    const auto& told = sources.about(Question::what_was_never_made, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        const std::vector<build::Word>& words = function->words;
        int names = 0;
        for (std::size_t i = 1; i + 3 < words.size() && names < most_names; ++i) {
            if (words[i].line != failure.at->line || !words[i].is_name() || words[i - 1].text == ".") continue;
            const bool is_member = words[i + 1].text == "." && words[i + 2].is_name() && words[i + 3].text == "(";
            if (!is_member && words[i + 1].text != "(") continue;
            ++names;
            const std::size_t declared = only_declared(words[i].text, words, failure.at->line);
            if (declared == 0) continue;
            const std::string& type = words[declared - 1].text;
            // What is made further down may be so in a round before.
            const auto is_made = [&](std::size_t k) {
                const bool is_it = words[k].text == words[i].text && k != i;
                const std::size_t behind = k + (is_member && words[k + 1].text == "." ? 3 : 1);
                return is_it && behind + 1 < words.size() && words[behind].text == "=" && words[behind + 1].text != "=";
            };
            bool is_made_elsewhere = false;
            for (std::size_t k = 0; k + 2 < words.size(); ++k) is_made_elsewhere = is_made_elsewhere || is_made(k);
            if (is_made_elsewhere || is_member == (type == "Tensor") ||
                defines_type(sources.words_of(failure.at->file), type))
                continue;
            const std::string name = words[i].text + (is_member ? "." + words[i + 2].text : std::string());
            // Gradients are named as what they are the gradients of.
            const auto is_known = [&](const build::Word& word) { return is_member && word.text == words[i + 2].text; };
            const bool is_of_argument =
                type.find("Gradient") != std::string::npos &&
                std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(declared), is_known);
            return fmt::format(
                "{} was declared at line {} and never made, so {} has no elements: write {} = Tensor::zeros({}) first.",
                words[i].text, words[declared].line, name, name, is_of_argument ? words[i + 2].text + ".shape()" : "…");
        }
        return {};
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

namespace {

/// "B" of std::vector<Index> lengths{B}, and of {B, 0}; nothing for another list.
std::string number_in_braces(const std::vector<build::Word>& words, std::size_t brace, bool has_zero) {
    const std::size_t end = brace + (has_zero ? 4 : 2);
    if (end >= words.size() || words[brace].text != "{" || words[end].text != "}" || !words[brace + 1].is_name())
        return {};
    const bool is_it = !has_zero || (words[brace + 2].text == "," && words[brace + 3].text == "0");
    return is_it ? words[brace + 1].text : std::string();
}

}  // namespace

void tell_which_list_has_braces(Failure& failure, const ReadSources& sources) {
    constexpr std::string_view begin = "the lengths are (", due = "; they should be (0";
    if (failure.at || failure.advice || !failure.message.starts_with(begin)) return;
    const std::size_t end = failure.message.find(')');
    if (end == std::string::npos || failure.message.compare(end + 1, due.size(), due) != 0) return;
    const std::string yours = failure.message.substr(begin.size(), end - begin.size());
    const auto commas = std::ranges::count(yours, ',');
    const bool has_zero = commas == 1 && yours.ends_with(", 0");
    const auto& place = sources.definition_of(failure.function);
    if (yours.empty() || (commas > 0 && !has_zero) || !place) return;
    const auto function = sources.lines().function_around({place->file, place->line, ""});
    if (!function) return;
    const std::vector<build::Word>& words = function->words;
    for (std::size_t i = 0; i + 4 < words.size(); ++i) {
        if (words[i].text != "vector" || words[i + 1].text != "<" || words[i + 3].text != ">") continue;
        const std::size_t brace = words[i + 4].is_name() ? i + 5 : i + 4;
        const std::string number = number_in_braces(words, brace, has_zero);
        if (number.empty()) continue;
        failure.at = sources.lines().at(place->file, words[brace].line);
        failure.advice = fmt::format(
            "In braces, {{{0}{1}}} is a list of {2}. {0} zeros are std::vector<Index>({0}, 0), in parentheses.", number,
            has_zero ? ", 0" : "", has_zero ? "these two numbers" : "the one number " + number);
        return;
    }
}

}  // namespace headway::cli
