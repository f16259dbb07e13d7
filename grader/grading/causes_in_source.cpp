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

}  // namespace

void tell_for_what_a_loop_goes_on(Failure& failure, const ReadSources& sources) {
    if (!failure.at || failure.advice) return;
    const auto& words = sources.about(Question::for_what_it_goes_on, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        if (!function) return {};
        if (const auto numbers = build::stays_true(*function, failure.at->line)) return in_words(*numbers);
        const auto step = build::variable_step(*function, failure.at->line);
        return step ? std::optional(in_words(*step)) : std::nullopt;
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

void tell_which_piece_is_not_cut(Failure& failure, const ReadSources& sources) {
    if (!failure.at || !failure.advice || !failure.advice->starts_with("That reaches past the end. If the axis is cut"))
        return;
    const auto& told = sources.about(Question::which_is_not_cut, *failure.at, [&]() -> std::optional<std::string> {
        const auto function = sources.lines().function_around(*failure.at);
        const auto piece = function ? build::uncut_piece(*function, failure.at->line) : std::nullopt;
        if (!piece) return {};
        return fmt::format(
            "That reaches past the end. In line {}, {} is {}, also for the last piece, which may be shorter: write "
            "std::min<Index>({}, {}).",
            piece->line, piece->end, piece->sum, piece->sum, piece->bound);
    });
    if (told) failure.advice = told;
}

}  // namespace headway::cli
