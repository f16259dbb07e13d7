#include "verify/alike.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace headway::cli {
namespace {

bool same_number(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-6 + 1e-4 * std::max(std::abs(a), std::abs(b));
}

bool same_answer(const Answered& a, const Answered& b) {
    return a.words == b.words && std::ranges::equal(a.numbers, b.numbers, same_number);
}

/// Whether what is said in words tells anything: an exception has words of its own.
enum class Words { count, ignored };

std::string result_of(const verdict::Test& test, Words said) {
    std::string text = fmt::format("{}: {} {} {} {}", test.name, to_string(test.state), to_string(test.build),
                                   test.given.value_or(""), test.depends_on.value_or(""));
    if (const auto& failure = test.failure) {
        text += fmt::format(" {} {} {}", to_string(failure->kind), failure->function, to_string(failure->stage));
        if (failure->sanitizer) text += " " + failure->sanitizer->kind;
        if (said == Words::count || failure->kind != verdict::FailureKind::exception) text += " " + failure->message;
    }
    if (said == Words::count && test.remarks) text += fmt::format(" {}", fmt::join(*test.remarks, "; "));
    return text + "\n";
}

std::string outcome_of(const verdict::Exercise& exercise, Words said) {
    std::string outcome;
    for (const verdict::Test& test : exercise.tests) outcome += result_of(test, said);
    if (exercise.diagnosis)
        for (const verdict::FunctionDiagnosis& one : exercise.diagnosis->functions)
            outcome += fmt::format("{}: {} {} {} {}\n", one.function, to_string(one.state), to_string(one.stage),
                                   fmt::join(one.mistakes, " "), one.only_where.value_or(""));
    return outcome;
}

}  // namespace

Shown shown_by(const verdict::Exercise& exercise, std::vector<Answered> answers) {
    std::string outcome = outcome_of(exercise, answers.empty() ? Words::count : Words::ignored);
    return {std::move(outcome), std::move(answers)};
}

Shown shown_unasked(const verdict::Exercise& exercise) { return {outcome_of(exercise, Words::ignored), {}}; }

bool alike(const Shown& a, const Shown& b) {
    return a.outcome == b.outcome && std::ranges::equal(a.answers, b.answers, same_answer);
}

}  // namespace headway::cli
