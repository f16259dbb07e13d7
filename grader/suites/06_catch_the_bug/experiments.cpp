#include "suites/06_catch_the_bug/experiments.hpp"

#include "suites/06_catch_the_bug/changes.hpp"
#include "suites/06_catch_the_bug/test_words.hpp"
#include "suites/06_catch_the_bug/what_shows.hpp"

#include "diagnosis/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;

/// Tests that take longer than this are not run again for the sake of a sentence.
constexpr milliseconds quick{300};
constexpr milliseconds patience{1000};

/// What becomes of an attention's answer before the tests see it.
using Change = std::function<wire::Value(AttentionProcess& attention, const wire::Value& question, wire::Value answer)>;

/// The tests against an attention that they have met, its answers changed.
/// @param asking  if given, the test whose question it is whenever an answer is changed
std::optional<Encounter> once_more(const Student& student, std::uint64_t seed, const Encounter& met,
                                   const Change& change, std::string* asking = nullptr) {
    if (met.lost || met.computed > quick || student.is_out_of_time()) return std::nullopt;
    AttentionProcess attention(student.limits(), seed);
    const std::unique_ptr<WorkerLink> tests = student.another_worker();
    Encounter now;
    const auto answer = [&](const wire::Value& question) {
        if (asking != nullptr) *asking = now.running;
        return change(attention, question, attention.answer(met.attention->id, question));
    };
    try {
        converse(*tests, answer, patience, now);
    } catch (const NoAnswer&) {
        return std::nullopt;
    } catch (const OutOfTime&) {
        return std::nullopt;
    }
    return now;
}

enum class Answered { right, wrong, nan };

/// Wrong is what is off by more than 1 % of the largest number; nan, where only what is no number is wrong.
Answered compared(const wire::Value& answer, const wire::Value& right, const char* part) {
    const Tensor *given = tensor_in(answer, part), *wanted = tensor_in(right, part);
    if (given == nullptr && wanted == nullptr) return Answered::right;  // both refuse
    if (given == nullptr || wanted == nullptr || given->shape() != wanted->shape()) return Answered::wrong;
    const Tensor x = given->contiguous(), y = wanted->contiguous();
    float largest = 0;
    for (Index i = 0; i < y.numel(); ++i)
        if (std::isfinite(y.data()[i])) largest = std::max(largest, std::abs(y.data()[i]));
    Answered found = Answered::right;
    for (Index i = 0; i < y.numel(); ++i) {
        if (!std::isfinite(y.data()[i])) continue;  // the question was not finite
        if (std::isnan(x.data()[i])) {
            found = Answered::nan;
        } else if (!(std::abs(x.data()[i] - y.data()[i]) <= 0.01F * largest)) {
            return Answered::wrong;
        }
    }
    return found;
}

/// Whether each test that fails says what it says of a right attention, too.
bool fails_as_right_ones_do(const Trial& trial, const Encounter& met) {
    return std::ranges::all_of(met.words, [&](const auto& said) {
        return std::ranges::any_of(trial.runs(), [&](const Encounter& right) {
            const auto found = right.words.find(said.first);
            return right.attention->is_right() && !right.lost && found != right.words.end() &&
                   says_the_same(found->second, said.second);
        });
    });
}

/// The one wrong attention that a test passes with.
const roster::Entry* passed_alone(const Trial& trial, const std::string& test) {
    const roster::Entry* found = nullptr;
    for (const Encounter& met : trial.runs()) {
        if (!met.passed.contains(test)) continue;
        if (found != nullptr || met.attention->is_right()) return nullptr;
        found = met.attention;
    }
    return found;
}

/// What the header promises of large scores, where some question of the test has them that failed first.
std::string on_large_scores(const Student& student, std::uint64_t seed, const Encounter& met) {
    constexpr double large = 10;
    int questions = 0, beyond = 0;
    double largest = 0;
    std::string asking;
    const auto looked_at = [&](AttentionProcess&, const wire::Value& question, wire::Value answer) {
        if (asking != met.first_failed) return answer;
        ++questions;
        if (tensor_in(answer, "output") == nullptr) return answer;
        const double size = largest_size_of_a_score(question);
        largest = std::max(largest, size);
        if (size > large) ++beyond;
        return answer;
    };
    if (!once_more(student, seed, met, looked_at, &asking) || beyond == 0) return "";
    const std::string where = beyond == questions
                                  ? std::string("in all that this test asks")
                                  : fmt::format("in {} of the {} questions of this test", beyond, questions);
    return fmt::format(
        " Where scores reach more than {:g} in size, as {} (up to {:.5g}), the header promises weights to 0.01 only, "
        "and their sums to 0.001.",
        large, where, largest);
}

/// " What it answers wrong is causal and has T ≠ S, and is asked in Causal.LooksBack."
std::string about_what_is_wrong(const std::string& has, const std::set<std::string>& asked_in) {
    constexpr std::size_t most = 4;
    std::vector<std::string> shown(asked_in.begin(), asked_in.end());
    shown.resize(std::min(shown.size(), most));
    std::string tests;
    if (!shown.empty()) tests = fmt::format("is asked in {}", fmt::join(shown, ", "));
    if (asked_in.size() > most) tests += fmt::format(" and {} more", asked_in.size() - most);
    if (has.empty() && tests.empty()) return "";
    return fmt::format(" What it answers wrong {}{}{}.", has, has.empty() || tests.empty() ? "" : ", and ", tests);
}

/// " Masks.HideKeys asks the same question each time ...", of tests that pass with every attention.
std::string about_repeated_questions(const Trial& trial, const std::set<std::string>& asked_in) {
    const std::set<std::string> never_fail = trial.passing_everything();
    for (const auto& [test, different] : trial.repeating_questions())
        if (asked_in.contains(test) && never_fail.contains(test))
            return fmt::format(
                " {} asks {}. If it writes to a copy of Inputs: that shares its tensors, so clone() the one that is to "
                "change.",
                test, different == 1 ? "the same question each time" : "some of its questions twice");
    return "";
}

/// Tests that pass with the reference and with a right attention that some of them fail, both with their answers
/// mended.
std::set<std::string> passing_mended(const Student& student, std::uint64_t seed, const Trial& trial, Mend mend) {
    const Change change = [mend](AttentionProcess&, const wire::Value&, wire::Value answer) {
        return mend(std::move(answer));
    };
    const std::optional<Encounter> reference = once_more(student, seed, trial.run_of(roster::reference), change);
    const std::optional<Encounter> failed =
        once_more(student, seed, trial.run_of(trial.false_alarms().front()->id), change);
    if (!reference || !failed) return {};
    std::set<std::string> both;
    std::ranges::set_intersection(reference->passed, failed->passed, std::inserter(both, both.end()));
    return both;
}

}  // namespace

Unnoticed why_unnoticed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met,
                        const std::string& name, Mend mend) {
    int questions = 0, wrong = 0, nan = 0, only_weights = 0, only_output = 0;
    int have_all = 0, wrong_with_all = 0;  // that it takes to show the mistake
    std::set<std::string> asked_by;        // what it answers wrong
    std::string asking;
    WhatShows shows(met.attention->id);
    const auto looked_at = [&](AttentionProcess& attention, const wire::Value& question, wire::Value answer) {
        const wire::Value right = attention.answer(roster::reference, question);
        const Answered output = compared(answer, right, "output"), weights = compared(answer, right, "weights");
        const auto either = [&](Answered what) { return output == what || weights == what; };
        ++questions;
        const bool has_all = tensor_in(right, "output") != nullptr && shows.see(question);
        if (tensor_in(right, "output") == nullptr) shows.see_refused();
        if (has_all) ++have_all;
        if (either(Answered::wrong) || either(Answered::nan)) {
            ++wrong;
            if (has_all) ++wrong_with_all;
            if (!asking.empty()) asked_by.insert(asking);
        }
        if (either(Answered::nan) && !either(Answered::wrong)) ++nan;
        if (output == Answered::right && weights != Answered::right) ++only_weights;
        if (output != Answered::right && weights == Answered::right) ++only_output;
        return mend != nullptr ? mend(std::move(answer)) : std::move(answer);
    };
    const auto now = once_more(student, seed, met, looked_at, &asking);
    if (!now || questions == 0) return {};
    const std::string all = questions == 1 ? "your only question" : fmt::format("all your {} questions", questions);
    if (wrong == 0)
        return {fmt::format(" {} answers {} right, to 1 %: nothing that you ask shows the mistake.{}", name, all,
                            shows.missing()),
                false};
    const std::string some = wrong == questions ? all : fmt::format("{} of your {} questions", wrong, questions);
    const char* const how = nan == wrong            ? "with NaN where a number belongs"
                            : only_weights == wrong ? "with wrong weights and the right output"
                            : only_output == wrong  ? "with a wrong output and the right weights"
                                                    : "wrong";
    const std::string answers = fmt::format(" {} answers {} {}", name, some, how);
    const std::set<std::string> count_mended =
        mend != nullptr ? passing_mended(student, seed, trial, mend) : std::set<std::string>{};
    const auto catches =
        std::ranges::find_if(count_mended, [&](const std::string& test) { return now->failed.contains(test); });
    if (catches != count_mended.end())
        return {fmt::format("{}. Mended as is said above, {} catches it.", answers, *catches)};
    const bool is_mended = !count_mended.empty();
    const std::string fails = is_mended ? "no test fails, as they are or mended as is said above"
                              : trial.fair().size() < trial.tests().size() ? "no test that counts fails"
                                                                           : "no test fails";
    // Where all of that has it and something else does not, that is what it has in common.
    const bool tells_apart = wrong_with_all == wrong && have_all < questions;
    const std::string repeated = about_repeated_questions(trial, asked_by);
    const std::string where = about_what_is_wrong(tells_apart ? shows.words() : "", asked_by) + repeated;
    // What passes though it asked for what is wrong is blind, whatever else fails.
    const bool some_see_nothing =
        std::ranges::any_of(asked_by, [&](const std::string& test) { return now->passed.contains(test); });
    if (nan == wrong && (is_mended || some_see_nothing))
        return {
            fmt::format("{}, and {}.{} A comparison with NaN is false: let a test fail unless a difference is "
                        "small, not if it is large. And std::max(worst, difference), or fmax, may drop a NaN before "
                        "anything is compared.",
                        answers, fails, where)};
    const bool fails_what_does_not_count =
        std::ranges::any_of(met.failed, [&](const std::string& test) { return !trial.fair().contains(test); });
    const char* const mend_first =
        is_mended || !repeated.empty() || !fails_what_does_not_count ? ""
        : fails_as_right_ones_do(trial, met)
            ? " What does fail says the same of right attentions: it has to be mended, and as it is, nothing that your "
              "tests say tells this one from a right one."
            : " What does fail does not pass with every right one, either: mend these tests first.";
    return {fmt::format("{}, and {}.{}{}", answers, fails, where, mend_first)};
}

Unfair why_failed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met) {
    const std::string& test = met.first_failed;
    const auto passes_if = [&](const Change& change) {
        const std::optional<Encounter> now = once_more(student, seed, met, change);
        return now && now->passed.contains(test);
    };
    const auto passes_with = [&](Mend mend) {
        return passes_if(
            [mend](AttentionProcess&, const wire::Value&, wire::Value answer) { return mend(std::move(answer)); });
    };
    const Mend in_row_major_order = [](wire::Value answer) { return with_tensors(std::move(answer), &row_major); };
    const Mend without_minus = [](wire::Value answer) {
        return with_tensors(std::move(answer), &without_negative_zeros);
    };
    bool asks_beyond = false;
    ElementsLeft left;
    std::map<Shape, Shape> meant;  // the shapes of masks that may be meant to have the sequences first
    const auto lined_up_by_sequences = [&](AttentionProcess& attention, const wire::Value& question,
                                           wire::Value answer) {
        const auto other = with_sequences_first(question, left);
        if (!other) return answer;
        meant.emplace(other->was, other->is);
        return attention.answer(met.attention->id, other->question);
    };
    const auto kept_within = [&](AttentionProcess& attention, const wire::Value& question, wire::Value answer) {
        // Refused for its shapes, a question would be refused with other numbers, too.
        const bool is_refused = tensor_in(answer, "output") == nullptr;
        const auto tame = is_refused ? std::nullopt : within_the_promise(question, left);
        asks_beyond |= tame.has_value();
        return tame ? attention.answer(met.attention->id, *tame) : std::move(answer);
    };
    if (passes_with(in_row_major_order))
        return {
            " It passes when the same answer lies in row-major order. A right attention may return other strides: "
            "use (i, j) or contiguous(), not data()[i].",
            in_row_major_order};
    if (passes_with(without_minus))
        return {" It passes when no zero is -0. Both are zero, and equal: a right attention may return either.",
                without_minus};
    if (passes_if(kept_within) && asks_beyond)
        return {
            " It passes when 0 takes the place of infinity, NaN and numbers of 1e37 or more in what it asks. What 0 "
            "times infinity gives is nobody's promise: ask with smaller numbers."};
    if (passes_if(lined_up_by_sequences) && !meant.empty()) return {where_masks_meet(meant)};
    if (passes_with(&without_bias_of_the_blind))
        return {
            " It passes when the output of a query that sees no key is 0. Right: its weights are 0, so its output "
            "is b_o, and 0 only where there is no b_o.",
            &without_bias_of_the_blind};
    if (passes_with(&with_queries_before_heads))
        return {
            " It passes when axes 1 and 2 of the weights are exchanged. Right: weights are (B, H, T, S), so "
            "weights(b, h, t, s).",
            &with_queries_before_heads};
    if (throws_out_of_range(met.first_words())) return {what_an_axis_counts(met.first_words())};
    if (const std::string change = what_to_change_in_a_test(met.first_words()); !change.empty()) return {change};
    constexpr const char* last_digits =
        " These differ in the last digits: compare with a tolerance, as wide as the header promises.";
    constexpr double of_a_float = 2e-7;
    if (differs_in_last_digits(met.first_words(), of_a_float))
        return {last_digits + on_large_scores(student, seed, met)};
    if (const roster::Entry* wrong = passed_alone(trial, test); wrong != nullptr && !wrong->mistake.empty()) {
        const diagnosis::Mistake& mistake = diagnosis::mistake(wrong->mistake);
        return {fmt::format(
            " Every right attention fails this test, and of the wrong ones one passes: there, {}. Is that what the "
            "test expects? Right: {}.",
            mistake.title, mistake.right)};
    }
    if (bears_less_than_large_scores_get(met.first_words()))
        if (const std::string promise = on_large_scores(student, seed, met); !promise.empty()) return {promise};
    const bool some_pass = std::ranges::any_of(trial.runs(), [&](const Encounter& other) {
        return other.attention->is_right() && other.passed.contains(test);
    });
    if (differs_in_last_digits(met.first_words())) return {last_digits + on_large_scores(student, seed, met)};
    if (some_pass)
        return {
            " It passes with other right attentions: they differ in their last digits (compare with a tolerance, as "
            "wide as the header promises) and in the words of an exception." +
            on_large_scores(student, seed, met)};
    return {};
}

}  // namespace headway::judge
