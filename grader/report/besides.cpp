#include "report/besides.hpp"

#include "report/loud.hpp"
#include "report/words.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace headway::report {

std::vector<std::string> besides_of(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake) {
    std::vector<std::string> all;
    for (const std::string& function : mistake.functions) {
        const verdict::FunctionDiagnosis* known = diagnosis_of(diagnosis, function);
        if (known == nullptr || !known->besides) continue;
        // Said once: with the first mistake that is told of it before others, or else with the first that it has.
        auto told_with = std::ranges::find_if(diagnosis.mistakes, [&](const verdict::NamedMistake& one) {
            return !one.functions.empty() && one.functions.front() == function;
        });
        if (told_with == diagnosis.mistakes.end())
            told_with = std::ranges::find_if(diagnosis.mistakes, [&](const verdict::NamedMistake& one) {
                return std::ranges::count(one.functions, function) > 0;
            });
        if (told_with != diagnosis.mistakes.end() && &*told_with == &mistake) all.push_back(*known->besides);
    }
    return all;
}

std::string condition_of(const verdict::FunctionDiagnosis& function, const verdict::Failure& failure) {
    const auto is_condition = [](const std::string& sentence) {
        return sentence.starts_with("wrong only where ") || sentence.starts_with(verdict::throws_where) ||
               sentence.starts_with(verdict::no_answer_where);
    };
    const auto sentence = std::ranges::find_if(function.sentences, is_condition);
    if (sentence == function.sentences.end()) return {};
    const bool lacks_a_return = failure.message.starts_with("your " + function.function + " can end without returning");
    for (const std::string_view verb : {verdict::throws_where, verdict::no_answer_where})
        if (sentence->starts_with(verb) && lacks_a_return)
            return "it ends without a return where " + sentence->substr(verb.size());
    if (sentence->starts_with(verdict::throws_where) && failure.kind != verdict::FailureKind::exception)
        return std::string(verdict::no_answer_where) + sentence->substr(verdict::throws_where.size());
    return *sentence;
}

bool is_contradicted(const verdict::Exercise& exercise, const verdict::FunctionDiagnosis& function) {
    constexpr std::string_view more = verdict::also_let_through, between = verdict::between_let_through;
    return function.telling > 0 && std::ranges::any_of(exercise.tests, [&](const verdict::Test& test) {
               if (!test.failure || test.failure->function != function.function) return false;
               const std::string& words = test.failure->message;
               int listed = 1;
               for (std::size_t at = words.find(more); at != std::string::npos; at = words.find(between, at + 1))
                   ++listed;
               return listed > 1 && listed > function.telling;
           });
}

std::string waits_for_others(const verdict::Exercise& exercise, const verdict::FunctionDiagnosis& function) {
    const auto calls_it_right = [&](const verdict::Test& test) {
        return test.given && test.given != test.function && test.function == function.function;
    };
    if (function.state != verdict::FunctionState::unjudged || std::ranges::any_of(exercise.tests, calls_it_right))
        return {};
    return function.function + " is judged when what is wrong above is mended";
}

std::string of_earlier_functions(const verdict::Diagnosis& diagnosis, const verdict::NamedMistake& mistake) {
    const bool is_theirs_alone = functions_of(diagnosis, mistake, Whose::their_own).empty() &&
                                 functions_of(diagnosis, mistake, Whose::of_earlier_ones).empty() &&
                                 !functions_of(diagnosis, mistake, Whose::inherited).empty();
    return is_theirs_alone ? mistake.title + " (it has that from your own earlier functions)" : std::string();
}

bool may_come_of_freed_memory(const verdict::Diagnosis& diagnosis, const verdict::Failure& failure) {
    return failure.message.find("std::bad_alloc") != std::string::npos &&
           std::ranges::count(diagnosis.mistakes, "used_after_freed", &verdict::NamedMistake::id) > 0;
}

std::string never_reached_in_loop(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake) {
    if (mistake.id != "never_ends" || mistake.functions.empty()) return {};
    const auto loud = loud_failure(exercise, mistake.functions.front());
    return loud && loud->failure->kind == verdict::FailureKind::timeout ? loud->advice : std::string();
}

}  // namespace headway::report
