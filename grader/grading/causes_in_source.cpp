#include "grading/causes_in_source.hpp"

#include "submission/endless_numbers.hpp"
#include "submission/function_places.hpp"
#include "submission/loops.hpp"
#include "submission/mask_reads.hpp"
#include "submission/source_words.hpp"
#include "submission/uncut_pieces.hpp"

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

void tell_of_other_empty_ones(verdict::FunctionDiagnosis& function, const std::vector<build::SourceFile>& files) {
    constexpr std::size_t most_told = 8;
    if (!function.at || function.at->text.find("Tensor::empty(") == std::string::npos) return;
    const build::SourceLines own(files);
    const auto around = own.function_around(*function.at);
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
    const auto warning = std::ranges::find_if(warnings, hides_what_is_followed);
    if (warning == warnings.end()) return;
    for (verdict::FunctionDiagnosis& function : diagnosis.functions)
        if (std::ranges::count(function.mistakes, "used_after_freed") +
                std::ranges::count(function.mistakes, "null_pointer_followed") >
            0)
            function.sentences.push_back(
                fmt::format("{}:{}: {}  {}", warning->at.file, warning->at.line, warning->at.text, warning->advice));
}

void name_what_lacks_a_return(Failure& failure, const std::vector<build::SourceFile>& files) {
    constexpr std::string_view ends = " can end without returning a value";
    const std::string told = "your " + failure.function + std::string(ends);
    if (!failure.sanitizer || !failure.message.starts_with(told)) return;
    const auto file = std::ranges::find_if(
        files, [&](const build::SourceFile& one) { return one.path.string() == failure.sanitizer->file; });
    if (file == files.end()) return;
    const std::vector<build::DefinedFunction> functions = build::functions_defined_in(file->text);
    const auto at = std::ranges::find(functions, failure.sanitizer->line, &build::DefinedFunction::line);
    if (at != functions.end()) failure.message.replace(0, told.size(), "your " + at->name + std::string(ends));
}

void tell_what_clone_keeps(Failure& failure, const std::vector<build::SourceFile>& files) {
    const bool recurses = failure.message.find("recurses without end") != std::string::npos;
    if (!recurses || !failure.at || failure.at->text.find("clone()") == std::string::npos) return;
    failure.advice = "clone() keeps the strides: what was not contiguous is not contiguous now. ";
    *failure.advice += build::definition_of("contiguous", files)
                           ? "To lay it out in rows, write it into Tensor::empty(x.shape()) with copy_from(x)."
                           : "contiguous() gives a row-major one.";
}

void tell_what_continue_skips(Failure& failure, const std::vector<build::SourceFile>& files) {
    const build::SourceLines own(files);
    const auto function = failure.at ? own.function_around(*failure.at) : std::nullopt;
    const auto step = function ? build::skipped_step(*function, failure.at->line) : std::nullopt;
    const auto changes = step ? own.at(failure.at->file, step->changes) : std::nullopt;
    if (changes)
        failure.advice = fmt::format("The continue in line {} goes past line {}, where {} changes: {}", step->skips,
                                     step->changes, step->name, changes->text);
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

void tell_for_what_a_loop_goes_on(Failure& failure, const std::vector<build::SourceFile>& files) {
    if (!failure.at || failure.advice) return;
    const auto function = build::SourceLines(files).function_around(*failure.at);
    if (!function) return;
    std::string words;
    if (const auto numbers = build::stays_true(*function, failure.at->line))
        words = in_words(*numbers);
    else if (const auto step = build::variable_step(*function, failure.at->line))
        words = in_words(*step);
    if (words.empty()) return;
    const std::string called = failure.function.substr(0, failure.function.find(" ("));
    failure.advice = function->name.empty() || function->name == called
                         ? words
                         : fmt::format("That loop is in {}. {}", function->name, words);
}

void tell_what_counts_another(Failure& failure, const std::vector<build::SourceFile>& files) {
    if (!failure.at || failure.message.find(" is out of range for axis ") == std::string::npos) return;
    const build::SourceLines own(files);
    const auto function = own.function_around(*failure.at);
    const auto loop = function ? build::other_counter_around(*function, failure.at->line) : std::nullopt;
    const auto head = loop ? own.at(failure.at->file, loop->line) : std::nullopt;
    if (head)
        failure.advice = fmt::format(
            "It is in the loop of line {0}, whose condition reads {1} and whose head counts {2}: such a loop goes on "
            "until something stops it. Is {1} meant in place of {2}? {3}",
            loop->line, loop->asked, loop->counted, head->text);
}

void tell_how_a_sum_begins(Failure& failure, const std::vector<build::SourceFile>& files) {
    if (!failure.at || failure.message.find("= b: a tensor is undefined") == std::string::npos) return;
    const std::size_t end = failure.at->text.find_first_of(" +-");
    if (end == std::string::npos || end == 0) return;
    const std::string name = failure.at->text.substr(0, end);
    const std::string_view rest = std::string_view(failure.at->text).substr(end);
    if (!rest.starts_with(" += ") && !rest.starts_with(" -= ")) return;
    const auto file = std::ranges::find_if(
        files, [&](const build::SourceFile& one) { return one.path.string() == failure.at->file; });
    if (file == files.end()) return;
    // The last that is said of it above the line must be that it is a Tensor, without a value.
    const std::vector<build::Word> words = build::words_without_directives(file->text);
    std::size_t last = 0;
    for (std::size_t i = 1; i + 3 < words.size() && words[i].line < failure.at->line; ++i)
        if (words[i].text == name) last = i;
    if (last == 0 || words[last - 1].text != "Tensor") return;
    const std::size_t behind = words[last + 1].text == "{" && words[last + 2].text == "}" ? last + 3 : last + 1;
    if (words[behind].text == ";")
        failure.advice = fmt::format(
            "{0} holds nothing when something is added to it for the first time: begin with Tensor {0} = "
            "Tensor::zeros(…), in the shape of the result.",
            name);
}

void tell_which_piece_is_not_cut(Failure& failure, const std::vector<build::SourceFile>& files) {
    if (!failure.at || !failure.advice || !failure.advice->starts_with("That reaches past the end. If the axis is cut"))
        return;
    const auto function = build::SourceLines(files).function_around(*failure.at);
    const auto piece = function ? build::uncut_piece(*function, failure.at->line) : std::nullopt;
    if (piece)
        failure.advice = fmt::format(
            "That reaches past the end. In line {}, {} is {}, also for the last piece, which may be shorter: write "
            "std::min<Index>({}, {}).",
            piece->line, piece->end, piece->sum, piece->sum, piece->bound);
}

namespace {

/// Whether a call on this line is one of that function.
bool calls(const verdict::SourceLine& line, const std::string& function) {
    const std::vector<build::Word> words = build::words_of(line.text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
        if (words[i].text == function && words[i + 1].text == "(") return true;
    return false;
}

/// By a signal whose cause may be any. An assertion, a division and a stack that is used up tell their own.
bool is_crash_of_any_cause(const std::string& message) {
    const auto says = [&](const char* text) { return message.find(text) != std::string::npos; };
    return says("crashed: SIGSEGV") || says("crashed: SIGBUS") || says("crashed: it ran into code") ||
           says("(memory was freed twice") || says("aborted: SIGABRT (");
}

}  // namespace

void tell_which_return_is_missing(Failure& failure, const std::vector<verdict::CompilerMessage>& warnings,
                                  const std::vector<build::SourceFile>& files) {
    if (failure.sanitizer || !is_crash_of_any_cause(failure.message)) return;
    const build::SourceLines own(files);
    const auto fails_in = failure.at ? own.function_around(*failure.at) : std::nullopt;
    const std::string called = failure.function.substr(0, failure.function.find(" ("));
    for (const verdict::CompilerMessage& warning : warnings) {
        // It is at the function's last bracket; behind that of a lambda something follows.
        if (warning.text.find("-Wreturn-type]") == std::string::npos || !warning.at.text.ends_with('}')) continue;
        const auto around = own.function_around(warning.at);
        if (!around) continue;
        const bool is_on_the_way = around->name == called || (fails_in && around->name == fails_in->name) ||
                                   (failure.at && calls(*failure.at, around->name));
        if (!is_on_the_way) continue;
        std::string told = failure.message;
        const std::string whose = "your " + failure.function + " ";
        if (around->name == called && told.starts_with(whose))
            told = "It " + told.substr(whose.size());
        else if (told.starts_with("your "))
            told.front() = 'Y';
        failure.message =
            fmt::format("your {} can end without returning a value (the compiler warns of it at {}:{}). {}",
                        around->name, warning.at.file, warning.at.line, told);
        failure.advice =
            "Mend that first: a result that was never made may be read, copied or freed in any line after it. Each "
            "way through the function needs a return.";
        return;
    }
}

void tell_of_a_mask_that_is_not_given(Failure& failure, const std::vector<verdict::SourceLine>& callers,
                                      const std::vector<build::SourceFile>& files) {
    const bool is_told_where = failure.sanitizer && failure.sanitizer->kind == "SEGV";
    if (!failure.at || (!is_told_where && failure.message.find("crashed: SIGSEGV") == std::string::npos)) return;
    const build::SourceLines own(files);
    std::vector<verdict::SourceLine> way = {*failure.at};
    way.insert(way.end(), callers.begin(), callers.end());
    for (const verdict::SourceLine& line : way) {
        const auto function = own.function_around(line);
        const auto read = function ? build::unasked_mask_read(*function) : std::nullopt;
        if (!read) continue;
        // A line of a helper that calls a lambda of this function, perhaps: what is read there, this one reads.
        const auto fails_in = own.function_around(*failure.at);
        const bool is_a_helpers = fails_in && fails_in->name != function->name;
        if (!is_a_helpers && !read->lines.contains(failure.at->line)) continue;
        if (is_a_helpers && read->lines.size() == 1)
            if (auto at = own.at(line.file, *read->lines.begin())) failure.at = std::move(*at);
        failure.advice = fmt::format(
            "{0} is {1}.data() (line {2}), and nothing there asks whether there is a mask: where none is given "
            "(Mask{{}}), it points nowhere. Ask {1}.defined() first.",
            read->pointer, read->mask, read->declared);
        return;
    }
}

}  // namespace headway::cli
