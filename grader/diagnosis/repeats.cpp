#include "diagnosis/repeats.hpp"

#include "diagnosis/asking.hpp"
#include "diagnosis/search.hpp"
#include "diagnosis/subject.hpp"

#include "student/repeated.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

namespace headway::diagnosis {
namespace {

bool equal(const Answer& a, const Answer& b) {
    return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.shape == y.second.shape && x.second.value == y.second.value;
    });
}

/// Whatever has no value where the model does not know the function.
Answer right_answer(const std::string& exercise, const std::string& function, const judge::Arguments& arguments) {
    const auto subject = subjects().find(exercise);
    if (subject != subjects().end())
        for (const Function& known : subject->second.functions) {
            if (known.name != function || known.model == nullptr) continue;
            try {
                if (const Predict predict = known.model(arguments)) return predict(right());
            } catch (const std::exception&) {  // another question goes by that name: one of an object, say
            }
        }
    return Answer::without_value(Answer::Kind::unpredicted);
}

}  // namespace

bool may_repeat(const Answer& first, const Answer& second, const RightAnswer& right) {
    if (first.kind != second.kind || first.parts.size() != second.parts.size()) return false;
    if (equal(first, second)) return true;
    const Answer bounds = right();
    for (std::size_t i = 0; i < first.parts.size(); ++i) {
        const auto& [name, array] = first.parts[i];
        const bool bounded = i < bounds.parts.size() && bounds.parts[i].first == name;
        if (name != second.parts[i].first ||
            !judge::may_repeat(array, second.parts[i].second, bounded ? &bounds.parts[i].second : nullptr))
            return false;
    }
    return true;
}

bool may_repeat(const std::string& exercise, const std::string& function, const judge::Arguments& arguments,
                const judge::Outcome& first, const judge::Outcome& second) {
    if (first.error.has_value() != second.error.has_value()) return false;
    if (first.error) return first.error->kind == second.error->kind;
    return may_repeat(answer_of(first), answer_of(second), [&] { return right_answer(exercise, function, arguments); });
}

bool answers_alike_anew(judge::Student& student, const Function& function, const Observation& call) {
    constexpr std::size_t times = 40;
    constexpr int workers = 3;
    constexpr std::chrono::milliseconds most_time{500};  // of the first, which says how often the others are asked
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = [&] { return ask(student, function, call.arguments).answer; };
    std::vector<Answer> first;
    student.fresh_worker();
    while (first.size() < times && std::chrono::steady_clock::now() - begin < most_time) first.push_back(answer());
    for (int worker = 1; worker < workers; ++worker) {
        student.fresh_worker();
        for (const Answer& before : first)
            if (!may_repeat(before, answer(), [&] { return predicted(call, right()); })) return false;
    }
    return true;
}

std::string shown_after_others_alone(judge::Student& student, const Function& function,
                                     const std::vector<Observation>& calls) {
    const auto is_right = [](const Observation& call, const Answer& seen) {
        return fit(predicted(call, right()), seen).has_value();
    };
    const auto wrong = std::ranges::find_if(calls, [&](const Observation& call) { return !is_right(call, call.seen); });
    if (wrong == calls.end()) return {};
    student.fresh_worker();
    if (!is_right(*wrong, ask(student, function, wrong->arguments).answer)) return {};
    return answers_alike_anew(student, function, *wrong) ? "state_kept_between_calls" : "answers_by_chance";
}

}  // namespace headway::diagnosis
