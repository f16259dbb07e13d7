#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "terminal/cells.hpp"
#include "terminal/numbers.hpp"
#include "verdict/phrases.hpp"

namespace headway::report {

using verdict::BuildProblem;
using verdict::Failure;
using verdict::FailureKind;
using verdict::FunctionDiagnosis;
using verdict::Worst;

namespace {

/// For a failure that came without a message.
std::string kind_in_words(FailureKind kind) {
    switch (kind) {
        case FailureKind::wrong_value:
            return "the numbers differ";
        case FailureKind::wrong_shape:
            return "the shape differs";
        case FailureKind::wrong_behaviour:
            return "it does not behave as it should";
        case FailureKind::exception:
            return "it threw an exception";
        case FailureKind::crash:
            return "it crashed";
        case FailureKind::exit:
            return "it ended the process";
        case FailureKind::timeout:
            return "it took too long";
        case FailureKind::memory:
            return "it took too much memory";
        case FailureKind::output_flood:
            return "it printed too much";
        case FailureKind::sanitizer:
            return "a sanitizer found a mistake";
        case FailureKind::protocol:
            return "it did not send an answer";
    }
    return "it failed";
}

/// A sanitizer's report whose calls are none of the student's, where the line is not known from elsewhere either.
bool names_no_line(const Failure& failure) {
    return failure.sanitizer && failure.sanitizer->file.empty() && !failure.at &&
           std::ranges::any_of(failure.sanitizer->first_lines,
                               [](const std::string& line) { return line.find("#0 0x") != std::string::npos; });
}

}  // namespace

std::string own_message_of(const Failure& failure) {
    const std::string where = failure.function.empty() ? "" : failure.function + ": ";
    return (failure.message.empty() ? where + kind_in_words(failure.kind) : failure.message) +
           (names_no_line(failure) ? "; the report names no line of yours" : "");
}

std::string message_of(const Failure& failure) {
    return own_message_of(failure) + (failure.pattern ? "; " + *failure.pattern : "");
}

std::string circumstances(const Failure& failure) {
    std::vector<std::string> parts;
    if (failure.stage != verdict::Stage::none) {
        parts.push_back("stage " + to_string(failure.stage) +
                        (failure.function.empty() ? "" : " of " + failure.function));
    } else if (!failure.function.empty() && failure.message.find(failure.function) == std::string::npos) {
        parts.push_back("in " + failure.function);
    }
    if (failure.all_elements > 0) {
        const std::string of_all = failure.wrong_elements == failure.all_elements && failure.all_elements > 1
                                       ? "all"
                                       : fmt::format("{} of", failure.wrong_elements);
        parts.push_back(fmt::format("{} {} elements differ", of_all, failure.all_elements));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string line_text(const verdict::SourceLine& at, const std::string& name) {
    return fmt::format("at {}:{}:{}", name, at.line, at.text.empty() ? "" : "   " + at.text);
}

std::string way_text(const Failure& failure, const std::string& name) {
    if (!failure.through) return "";
    return fmt::format("your {} gets there {}", failure.function, line_text(*failure.through, name));
}

std::string coordinate_text(const Worst& worst) {
    std::string text;
    for (std::size_t i = 0; i < worst.coordinate.size(); ++i) {
        const std::string axis = i < worst.axes.size() ? worst.axes[i] : fmt::format("axis {}", i);
        text += fmt::format("{}{}={}", i == 0 ? "" : fmt::format(",{}", no_break_space), axis, worst.coordinate[i]);
    }
    return "[" + text + "]";
}

WorstInWords in_words(const Worst& worst) {
    const TwoNumbers numbers = told_apart(worst.yours, worst.expected);
    const std::string what = worst.tolerance == 0
                                 ? fmt::format("yours {}, expected exactly {}", numbers.yours, numbers.expected)
                                 : fmt::format("yours {}, expected {} (tolerance {})", numbers.yours, numbers.expected,
                                               number(worst.tolerance, 2));
    return {fmt::format("largest difference at {}:", coordinate_text(worst)), what};
}

std::string problem_in_words(BuildProblem problem) {
    switch (problem) {
        case BuildProblem::compile_error:
            return "it does not compile";
        case BuildProblem::missing_definition:
            return "a function is declared in the header, but not defined";
        case BuildProblem::wrong_signature:
            return "a function has other parameters than in the header";
        case BuildProblem::not_available:
            return "it uses what this exercise does not give you";
        case BuildProblem::has_main:
            return "it has a main function";
        case BuildProblem::link_error:
            return "it does not link";
        case BuildProblem::too_long:
            return "it takes too long to compile";
        case BuildProblem::no_source:
            return "there is no .cpp file";
        case BuildProblem::none:
            break;
    }
    return "it could not be built";
}

std::string printed_by(const verdict::Test& test) {
    if (!test.failure || !test.failure->sanitizer || test.failure->sanitizer->first_lines.empty()) return test.output;
    const std::size_t report = test.output.find(test.failure->sanitizer->first_lines.front());
    if (report == std::string::npos) return test.output;
    std::string_view printed = std::string_view(test.output).substr(0, report);
    while (true) {  // AddressSanitizer has lines of its own before the report
        const std::string_view before = printed.substr(0, printed.size() - (printed.ends_with('\n') ? 1 : 0));
        const std::size_t begin = before.rfind('\n') + 1;  // the first line begins at npos + 1 = 0
        const std::string_view last = before.substr(begin);
        const bool is_its_own = last == "AddressSanitizer:DEADLYSIGNAL" ||
                                (!last.empty() && last.find_first_not_of('=') == std::string_view::npos);
        if (!is_its_own) return std::string(printed);
        printed = printed.substr(0, begin);
    }
}

std::string unwritten(const verdict::Test& test) {
    const bool is_named = test.failure && !test.failure->function.empty();
    if (!is_named || !test.failure->at)
        return "not written yet: " + (is_named ? test.failure->function : "what this property needs");
    return fmt::format("{} at {}:{}. {}", test.failure->message, test.failure->at->file, test.failure->at->line,
                       test.failure->advice.value_or(""));
}

std::string wrong_functions_of(const verdict::Test& test) {
    std::vector<std::string> functions = {test.depends_on ? *test.depends_on : test.given.value_or("")};
    if (test.also_wrong) functions.insert(functions.end(), test.also_wrong->begin(), test.also_wrong->end());
    return verdict::listed(std::move(functions));
}

std::string property_of(const verdict::Test& test) {
    if (test.depends_on) return fmt::format("{} (not judged: depends on {})", test.property, wrong_functions_of(test));
    if (!test.given) return test.property;
    // Given itself, anything is right.
    if (test.given == test.function)
        return fmt::format("{} (what is wrong in your {} costs no point here)", test.property,
                           wrong_functions_of(test));
    return fmt::format("{} (right, given your {})", test.property, wrong_functions_of(test));
}

bool is_out_of_time(const verdict::Exercise& exercise) {
    return exercise.diagnosis && exercise.diagnosis->out_of_time.value_or(false);
}

std::optional<verdict::SourceLine> definition_of(const verdict::Exercise& exercise, const std::string& function) {
    if (!exercise.places) return std::nullopt;
    const auto place =
        std::ranges::find(*exercise.places, verdict::name_alone(function), &verdict::FunctionPlace::function);
    return place == exercise.places->end() ? std::nullopt : std::optional(place->at);
}

std::string_view before_symptom(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake) {
    const bool has_company = std::ranges::any_of(diagnosis.functions, [&](const FunctionDiagnosis& function) {
        return function.mistakes.size() > 1 && std::ranges::count(function.mistakes, mistake.id) > 0;
    });
    return has_company ? "why it matters, by itself:" : "why it matters:";
}

std::string evidence(const FunctionDiagnosis& function) {
    const bool is_alone = function.mistakes.size() == 1;
    const std::string answers =
        function.inputs == 1 ? "the one answer" : fmt::format("all {} answers", function.inputs);
    const std::string_view it = is_alone ? "it" : "they";
    const std::string left_open =
        function.left_open ? fmt::format(". Of {} more {} say{} nothing", *function.left_open, it, is_alone ? "s" : "")
                           : "";
    // Hidden tests saw other answers of it, and more of each: how many are wrong, nobody counted.
    if (function.telling == 0)
        return fmt::format("{} {} of {} to questions of our own", is_alone ? "fits" : "together they fit", answers,
                           function.function) +
               left_open;
    const std::string wrong = function.inputs == 1                  ? "it is"
                              : function.telling == function.inputs ? fmt::format("all {} are", function.telling)
                              : function.telling == 1               ? "one of them is"
                                                                    : fmt::format("{} of them are", function.telling);
    const std::string which = !function.left_open ? "we saw" : fmt::format("{} predict{}", it, is_alone ? "s" : "");
    return fmt::format("{} {} of {} that {}; {} wrong", is_alone ? "fits" : "together they fit", answers,
                       function.function, which, wrong) +
           left_open;
}

const FunctionDiagnosis* diagnosis_of(const verdict::Diagnosis& diagnosis, const std::string& function) {
    const auto found = std::ranges::find(diagnosis.functions, function, &FunctionDiagnosis::function);
    return found == diagnosis.functions.end() ? nullptr : &*found;
}

std::string functions_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake, Whose whose) {
    std::vector<std::string> functions;
    std::ranges::copy_if(mistake.functions, std::back_inserter(functions), [&](const std::string& function) {
        const FunctionDiagnosis* known = diagnosis_of(diagnosis, function);
        const bool is_given = known != nullptr && known->given_own.value_or(false);
        const bool is_inherited =
            known != nullptr && known->inherited && std::ranges::count(*known->inherited, mistake.id) > 0;
        if (whose == Whose::inherited) return is_inherited && !is_given;
        return whose == Whose::of_earlier_ones ? is_given : !is_given && !is_inherited;
    });
    return fmt::format("{}", fmt::join(functions, ", "));
}

}  // namespace headway::report
