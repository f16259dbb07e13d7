// What is said first of a function whose mistake has no name.
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace headway::report {

using verdict::FailureKind;
using verdict::FunctionDiagnosis;

namespace {

/// Whether it is wrong where an argument is a view that is not contiguous, and nowhere else: "wrong in all 21 questions
/// where angles is not contiguous, right in all 64 others".
bool depends_on_layout(const FunctionDiagnosis& function) {
    constexpr std::string_view where = " questions where ", condition = " is not contiguous, right in all ";
    return std::ranges::any_of(function.sentences, [&](std::string_view sentence) {
        const std::size_t begin = sentence.find(where);
        if (!sentence.starts_with("wrong in all ") || begin == std::string_view::npos) return false;
        const std::string_view rest = sentence.substr(begin + where.size());
        return rest.substr(std::min(rest.find(' '), rest.size())).starts_with(condition);
    });
}

}  // namespace

std::string unnamed_in_words(const verdict::Exercise& exercise, const std::string& function) {
    std::string done;
    for (const verdict::Test& test : exercise.tests) {
        if (!test.failure || test.depends_on || test.failure->function != function) continue;
        if (test.failure->pattern) return function + " is not right for all sizes: " + *test.failure->pattern;
        if (done.empty() && test.failure->kind == FailureKind::wrong_behaviour) done = message_of(*test.failure);
    }
    if (!done.empty()) return done;
    const FunctionDiagnosis* found = exercise.diagnosis ? diagnosis_of(*exercise.diagnosis, function) : nullptr;
    if (found != nullptr && depends_on_layout(*found))
        return fmt::format(
            "your {} answers differently if the same numbers come in a view that is not contiguous: it "
            "should depend on the numbers alone, not on how they are laid out in memory",
            function);
    if (found != nullptr && std::ranges::count(found->sentences, verdict::throws_for_some) > 0)
        return function + " throws where it should answer";
    const auto is_of_a_shape = [](const std::string& one) { return one.starts_with("the result has shape "); };
    if (found != nullptr && std::ranges::any_of(found->sentences, is_of_a_shape))
        return function + " returns a result of another shape than it should";
    if (is_out_of_time(exercise) && (found == nullptr || found->sentences.empty()))
        return function + " is wrong, and there was no time to look for its mistake";
    return function + " is wrong in a way that Headway has no name for";
}

std::vector<std::string> sentences_below(const std::string& title, const FunctionDiagnosis& function) {
    std::vector<std::string> sentences = function.sentences;
    if (title.ends_with(" throws where it should answer")) std::erase(sentences, verdict::throws_for_some);
    return sentences;
}

}  // namespace headway::report
