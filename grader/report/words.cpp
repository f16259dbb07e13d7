#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "terminal/cells.hpp"
#include "terminal/numbers.hpp"

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

}  // namespace

std::string message_of(const Failure& failure) {
    if (!failure.message.empty()) return failure.message;
    const std::string where = failure.function.empty() ? "" : failure.function + ": ";
    return where + kind_in_words(failure.kind);
}

std::string circumstances(const Failure& failure) {
    std::vector<std::string> parts;
    if (!failure.stage.empty()) {
        parts.push_back("stage " + failure.stage + (failure.function.empty() ? "" : " of " + failure.function));
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
            return "it uses what this exercise asks you to write";
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

std::string property_of(const verdict::Test& test) {
    return test.given ? fmt::format("{} (as far as your {} lets it show)", test.property, *test.given) : test.property;
}

std::string evidence(const FunctionDiagnosis& function) {
    const std::string_view explains = function.mistakes.size() == 1 ? "explains" : "together they explain";
    if (function.inputs == 1)
        return fmt::format("{} the one answer of {}, which is wrong", explains, function.function);
    return fmt::format("{} all {} answers of {}, of which {} {} wrong", explains, function.inputs, function.function,
                       function.telling, function.telling == 1 ? "is" : "are");
}

std::string waits_for_others(const FunctionDiagnosis& function) {
    return function.function + " cannot be judged before what it calls gives answers";
}

const FunctionDiagnosis* diagnosis_of(const verdict::Diagnosis& diagnosis, const std::string& function) {
    const auto found = std::ranges::find(diagnosis.functions, function, &FunctionDiagnosis::function);
    return found == diagnosis.functions.end() ? nullptr : &*found;
}

}  // namespace headway::report
