// What a submission must not answer.
#include "student/call_sentence.hpp"
#include "student/harness.hpp"
#include "student/student.hpp"
#include "verdict/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headway::judge {

using verdict::Failure;
using verdict::FailureKind;
using wire::ErrorKind;

namespace {

/// "returned a tensor"; records and objects are the worker's, which puts together what a call changes.
std::string what_came(const wire::Value& value) {
    const bool is_ours = std::holds_alternative<wire::Record>(value) || std::holds_alternative<wire::Handle>(value);
    return is_ours ? "answered" : "returned " + wire::describe(value);
}

/// "B must be at least 1": of several that must be the same, one sentence.
struct Demand {
    std::vector<std::string> of;
    std::string words;

    explicit Demand(const std::string& because) {
        const std::size_t end = because.find(' ');
        const bool is_shared = end != std::string::npos && because.compare(end, 6, " must ") == 0;
        of = {because.substr(0, is_shared ? end : because.size())};
        if (is_shared) words = because.substr(end);
    }
    std::string sentence() const { return verdict::listed(of) + words; }
};

std::vector<Demand> demands(const std::vector<LetThrough>& all, const std::string& function) {
    std::vector<Demand> found;
    std::set<std::string> kinds;
    for (const LetThrough& one : all) {
        if (one.function != function || !kinds.insert(one.kind).second) continue;
        Demand demand(one.because);
        const auto same = std::ranges::find_if(
            found, [&](const Demand& other) { return !demand.words.empty() && other.words == demand.words; });
        if (same == found.end())
            found.push_back(std::move(demand));
        else if (std::ranges::find(same->of, demand.of.front()) == same->of.end())
            same->of.push_back(demand.of.front());
    }
    return found;
}

/// What came is what came of the first call.
std::string in_words(const std::vector<LetThrough>& all, const LetThrough& first) {
    constexpr std::size_t most = 6;
    const std::vector<Demand> found = demands(all, first.function);
    std::string text = found.front().sentence() + first.failure.message.substr(first.because.size());
    for (std::size_t i = 1; i < std::min(found.size(), most); ++i)
        text.append(i == 1 ? verdict::also_let_through : verdict::between_let_through).append(found[i].sentence());
    if (found.size() > most) text += "; and " + std::to_string(found.size() - most) + " more that should be refused";
    return text;
}

/// Of each function, what it answered. Of one that answered nothing, the first call that ended in an exception of
/// another type: beside answers, such an exception says less, because some other line happened to throw it.
std::vector<LetThrough> most_telling(const std::vector<LetThrough>& given) {
    std::vector<LetThrough> all;
    for (const LetThrough& one : given) {
        const auto is_of_it = [&](const LetThrough& other) { return other.function == one.function; };
        const bool some_answered =
            std::ranges::any_of(given, [&](const LetThrough& other) { return is_of_it(other) && !other.threw; });
        if (!one.threw || (!some_answered && std::ranges::none_of(all, is_of_it))) all.push_back(one);
    }
    return all;
}

}  // namespace

Failure in_one(const std::vector<LetThrough>& given) {
    const std::vector<LetThrough> all = most_telling(given);
    Failure told = all.front().failure;
    told.message = in_words(all, all.front());
    std::vector<verdict::Sentence>& sentences = told.sentences.emplace();
    sentences.push_back({all.front().function, told.message});
    for (const LetThrough& one : all) {
        if (std::ranges::find(sentences, one.function, &verdict::Sentence::function) != sentences.end()) continue;
        sentences.push_back({one.function, in_words(all, one)});
        told.message += ". Besides: " + sentences.back().message;
    }
    return told;
}

void Student::expect_refusal(const std::string& function, const Arguments& arguments, LetThrough if_answered,
                             std::initializer_list<ErrorKind> accepted) {
    const Outcome outcome = ask(function, arguments, false);
    Failure& failure = if_answered.failure;
    failure.kind = FailureKind::wrong_behaviour;
    failure.message = if_answered.because + ": your " + function;
    if (outcome.error && std::ranges::find(accepted, outcome.error->kind) != accepted.end()) {
        test_.refused.insert(function);
        if (outcome.changed_arguments.empty()) return;
        failure.message += " throws, as it should, but its argument " + outcome.changed_arguments.front() +
                           " holds other numbers than before";
        fail(std::move(failure));
    }
    failure.message += " should throw std::invalid_argument, but it ";
    if_answered.threw = outcome.error.has_value();
    if (outcome.error) {
        failure.message += "threw " + outcome.error->type +
                           (outcome.error->message.empty() ? "" : " (" + outcome.error->message + ")");
        if (!outcome.error->frames.empty()) failure.frames = outcome.error->frames;
    } else
        failure.message += what_came(outcome.value);
    if (test_.outside_story) fail(std::move(failure));
    failure.function = test_.function;
    // The story of the first is told; an answer is told rather than an exception of another type.
    const bool is_first = test_.let_through.empty();
    if (is_first || std::ranges::all_of(test_.let_through, &LetThrough::threw)) {
        failure.story = test_.numbered_story();
        if (!is_first) failure.story.push_back(told(function, arguments));
    }
    test_.let_through.push_back(std::move(if_answered));
}

void Student::refuses(const std::string& function, const Arguments& arguments, const std::string& because,
                      const std::string& kind) {
    expect_refusal(function, arguments, {function, because, kind.empty() ? because : kind, {}},
                   {ErrorKind::invalid_argument});
}

void Student::refuses_index(const std::string& function, const Arguments& arguments, const std::string& because,
                            const std::string& kind) {
    expect_refusal(function, arguments, {function, because, kind.empty() ? because : kind, {}},
                   {ErrorKind::invalid_argument, ErrorKind::out_of_range});
}

}  // namespace headway::judge
