#include "suites/06_catch_the_bug/experiments.hpp"

#include "suites/06_catch_the_bug/what_shows.hpp"

#include "diagnosis/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <regex>
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
std::optional<Encounter> once_more(const Student& student, std::uint64_t seed, const Encounter& met,
                                   const Change& change) {
    if (met.lost || met.computed > quick || student.is_out_of_time()) return std::nullopt;
    AttentionProcess attention(student.limits(), seed);
    const std::unique_ptr<WorkerLink> tests = student.another_worker();
    const auto answer = [&](const wire::Value& question) {
        return change(attention, question, attention.answer(met.attention->id, question));
    };
    Encounter now;
    try {
        converse(*tests, answer, patience, now);
    } catch (const NoAnswer&) {
        return std::nullopt;
    } catch (const OutOfTime&) {
        return std::nullopt;
    }
    return now;
}

const Tensor* tensor_in(const wire::Value& answer, const char* part) {
    const auto* record = std::get_if<wire::Record>(&answer);
    const wire::Field* field = record != nullptr ? record->find(part) : nullptr;
    return field != nullptr ? std::get_if<Tensor>(&field->value) : nullptr;
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

/// A record's tensors, each changed.
wire::Value with_tensors(wire::Value answer, Tensor (*change)(const Tensor&)) {
    if (auto* record = std::get_if<wire::Record>(&answer))
        for (wire::Field& field : record->fields)
            if (const auto* tensor = std::get_if<Tensor>(&field.value)) field.value = change(*tensor);
    return answer;
}

Tensor row_major(const Tensor& x) { return x.contiguous(); }

/// Row-major, too: that alone was tried before.
Tensor without_negative_zeros(const Tensor& x) { return x + 0.0F; }

/// What the header lets tests ask with.
constexpr float most = 1e37F;

/// The question, with 0 for each number that is too large, infinite or none; nothing if there is no such number.
std::optional<wire::Value> within_the_promise(const wire::Value& question) {
    const auto* asked = std::get_if<wire::Record>(&question);
    if (asked == nullptr) return std::nullopt;
    wire::Record tame = *asked;
    bool changed = false;
    for (wire::Field& field : tame.fields) {
        const auto* tensor = std::get_if<Tensor>(&field.value);
        if (tensor == nullptr || !tensor->defined()) continue;
        Tensor numbers = tensor->contiguous().clone();
        for (Index i = 0; i < numbers.numel(); ++i) {
            if (std::abs(numbers.data()[i]) < most) continue;
            numbers.data()[i] = 0;
            changed = true;
        }
        field.value = numbers;
    }
    return changed ? std::optional<wire::Value>(std::move(tame)) : std::nullopt;
}

/// A question whose mask has the sequences where (B, H, T, S) has heads or queries.
struct SequencesFirst {
    wire::Value question;  ///< with 1s put in behind the sequences
    Shape was, is;         ///< of the mask
};

/// Nothing if its mask can be meant as it is alone.
std::optional<SequencesFirst> with_sequences_first(const wire::Value& question) {
    const Tensor *query = tensor_in(question, "query"), *key = tensor_in(question, "key");
    const auto* asked = std::get_if<wire::Record>(&question);
    const wire::Field* field = asked != nullptr ? asked->find("mask") : nullptr;
    const Mask* mask = field != nullptr ? std::get_if<Mask>(&field->value) : nullptr;
    if (mask == nullptr || query == nullptr || key == nullptr || query->rank() != 3 || key->rank() != 3) return {};
    const Index B = query->size(0), T = query->size(1), S = key->size(1), rank = mask->rank();
    if (B < 2 || (rank != 2 && rank != 3) || mask->size(0) != B) return {};
    const Index rows = rank == 3 ? mask->size(1) : 1, columns = mask->size(-1);
    if ((rows != 1 && rows != T) || (columns != S && (rank == 2 || columns != 1))) return {};
    const Mask dense = mask->clone();
    SequencesFirst other{*asked, mask->shape(), {B, 1, rows, columns}};
    for (wire::Field& one : std::get<wire::Record>(other.question).fields)
        if (one.name == "mask") one.value = dense.as_strided(other.is, Layout::contiguous(other.is).strides, 0);
    return other;
}

/// What is wrong with masks that were meant to have the sequences first.
std::string where_masks_meet(const std::map<Shape, Shape>& meant) {
    const std::string lined_up = " A mask is lined up from the last axis with (B, H, T, S): ";
    if (meant.size() > 1)
        return " It passes when 1s are put in behind the first axis of masks that have B there: (B, 1, T, S) or "
               "(B, 1, 1, S)." +
               lined_up + "the first of three axes meets the heads, of two the queries, not the sequences.";
    const auto& [was, is] = *meant.begin();
    return fmt::format(" It passes when your mask {} is taken as {}.{}its first axis meets the {}, not the sequences.",
                       headway::to_string(was), headway::to_string(is), lined_up,
                       was.size() == 3 ? "heads" : "queries");
}

/// The answer, with an output of 0 for each query whose heads give no key any weight.
wire::Value without_bias_of_the_blind(wire::Value answer) {
    const Tensor *output = tensor_in(answer, "output"), *weights = tensor_in(answer, "weights");
    if (output == nullptr || weights == nullptr || output->rank() != 3 || weights->rank() != 4) return answer;
    Tensor changed = output->contiguous().clone();
    const Tensor seen = max(max(*weights, -1), 1);  // (B, T)
    for (Index b = 0; b < seen.size(0); ++b)
        for (Index t = 0; t < seen.size(1); ++t)
            if (std::as_const(seen)(b, t) == 0) changed.select(0, b).select(0, t).fill(0);
    for (wire::Field& field : std::get<wire::Record>(answer).fields)
        if (field.name == "output") field.value = changed;
    return answer;
}

/// Whether a test's words show two numbers that differ in the last digits alone.
bool differs_in_last_digits(const std::string& words) {
    static const std::regex printed_alike(R"(Which is: (\S+)\s[\s\S]*Which is: \1(\s|$))");
    static const std::regex number(R"(-?\d+\.\d{3,}(e[-+]?\d+)?)");
    if (std::regex_search(words, printed_alike)) return true;
    std::vector<double> numbers;
    for (std::sregex_iterator found(words.begin(), words.end(), number), end; found != end; ++found)
        numbers.push_back(std::strtod(found->str().c_str(), nullptr));
    return std::ranges::any_of(numbers, [&](double a) {
        return std::ranges::any_of(numbers, [&](double b) { return a != b && std::abs(a - b) <= 1e-4 * std::abs(a); });
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

/// What the header promises of large scores, where some question has them.
std::string on_large_scores(const Student& student, std::uint64_t seed, const Encounter& met) {
    constexpr double large = 10;
    int questions = 0, beyond = 0;
    const auto looked_at = [&](AttentionProcess&, const wire::Value& question, wire::Value answer) {
        ++questions;
        if (tensor_in(answer, "output") != nullptr && some_score_is_beyond(large, question)) ++beyond;
        return answer;
    };
    if (!once_more(student, seed, met, looked_at) || beyond == 0) return "";
    const std::string where = beyond == questions ? std::string("in all that you ask")
                                                  : fmt::format("in {} of your {} questions", beyond, questions);
    return fmt::format(" Where scores reach more than {:g} in size, as {}, the header promises weights to 0.01 only.",
                       large, where);
}

}  // namespace

Unnoticed why_unnoticed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met,
                        const std::string& name) {
    int questions = 0, wrong = 0, nan = 0, only_weights = 0, only_output = 0;
    WhatShows shows(met.attention->id);
    const auto looked_at = [&](AttentionProcess& attention, const wire::Value& question, wire::Value answer) {
        const wire::Value right = attention.answer(roster::reference, question);
        const Answered output = compared(answer, right, "output"), weights = compared(answer, right, "weights");
        const auto either = [&](Answered what) { return output == what || weights == what; };
        ++questions;
        if (tensor_in(right, "output") != nullptr)
            shows.see(question);
        else
            shows.see_refused();
        if (either(Answered::wrong) || either(Answered::nan)) ++wrong;
        if (either(Answered::nan) && !either(Answered::wrong)) ++nan;
        if (output == Answered::right && weights != Answered::right) ++only_weights;
        if (output != Answered::right && weights == Answered::right) ++only_output;
        return answer;
    };
    if (!once_more(student, seed, met, looked_at) || questions == 0) return {};
    const std::string all = questions == 1 ? "your only question" : fmt::format("all your {} questions", questions);
    if (wrong == 0)
        return {fmt::format(" {} answers {} right, to 1 %: nothing that you ask shows the mistake.{}", name, all,
                            shows.missing()),
                false};
    const std::string some = wrong == questions ? all : fmt::format("{} of your {} questions", wrong, questions);
    const char* const fails =
        trial.fair().size() < trial.tests().size() ? "no test that counts fails" : "no test fails";
    if (nan == wrong)
        return {fmt::format(
            " {} answers {} with NaN where a number belongs, and {}. A comparison with NaN is false: let a test fail "
            "unless a difference is small, not if it is large. And std::max(worst, difference), or fmax, may drop a "
            "NaN before anything is compared.",
            name, some, fails)};
    if (only_weights == wrong)
        return {fmt::format(" {} answers {} with wrong weights and the right output, and {}.", name, some, fails)};
    if (only_output == wrong)
        return {fmt::format(" {} answers {} with a wrong output and the right weights, and {}.", name, some, fails)};
    return {fmt::format(" {} answers {} wrong, and {}.", name, some, fails)};
}

std::string why_failed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met) {
    const std::string& test = met.first_failed;
    const auto passes_if = [&](const Change& change) {
        const std::optional<Encounter> now = once_more(student, seed, met, change);
        return now && now->passed.contains(test);
    };
    const auto passes_with = [&](Tensor (*change)(const Tensor&)) {
        return passes_if([&](AttentionProcess&, const wire::Value&, wire::Value answer) {
            return with_tensors(std::move(answer), change);
        });
    };
    bool asks_beyond = false;
    std::map<Shape, Shape> meant;  // the shapes of masks that may be meant to have the sequences first
    const auto lined_up_by_sequences = [&](AttentionProcess& attention, const wire::Value& question,
                                           wire::Value answer) {
        const auto other = with_sequences_first(question);
        if (!other) return answer;
        meant.emplace(other->was, other->is);
        return attention.answer(met.attention->id, other->question);
    };
    const auto kept_within = [&](AttentionProcess& attention, const wire::Value& question, wire::Value answer) {
        const auto tame = within_the_promise(question);
        asks_beyond |= tame.has_value();
        return tame ? attention.answer(met.attention->id, *tame) : std::move(answer);
    };
    if (passes_with(&row_major))
        return " It passes when the same answer lies in row-major order. A right attention may return other strides: "
               "use (i, j) or contiguous(), not data()[i].";
    if (passes_with(&without_negative_zeros))
        return " It passes when no zero is -0. Both are zero, and equal: a right attention may return either.";
    if (passes_if(kept_within) && asks_beyond)
        return " It passes when 0 takes the place of infinity, NaN and numbers of 1e37 or more in what it asks. What 0 "
               "times infinity gives is nobody's promise: ask with smaller numbers.";
    if (passes_if(lined_up_by_sequences) && !meant.empty()) return where_masks_meet(meant);
    if (passes_if([](AttentionProcess&, const wire::Value&, wire::Value answer) {
            return without_bias_of_the_blind(std::move(answer));
        }))
        return " It passes when the output of a query that sees no key is 0. Right: its weights are 0, so its output "
               "is "
               "b_o, and 0 only where there is no b_o.";
    if (const roster::Entry* wrong = passed_alone(trial, test); wrong != nullptr && !wrong->mistake.empty()) {
        const diagnosis::Mistake& mistake = diagnosis::mistake(wrong->mistake);
        return fmt::format(
            " Every right attention fails this test, and of the wrong ones one passes: there, {}. Is that what the "
            "test expects? Right: {}.",
            mistake.title, mistake.right);
    }
    const bool some_pass = std::ranges::any_of(trial.runs(), [&](const Encounter& other) {
        return other.attention->is_right() && other.passed.contains(test);
    });
    if (differs_in_last_digits(met.first_words()))
        return " These differ in the last digits: compare with a tolerance, as wide as the header promises." +
               on_large_scores(student, seed, met);
    if (some_pass)
        return " It passes with other right attentions: they differ in their last digits (compare with a tolerance, as "
               "wide as the header promises) and in the words of an exception." +
               on_large_scores(student, seed, met);
    return "";
}

}  // namespace headway::judge
