#include "judge/listener.hpp"

#include "student/own_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace headway::judge {
namespace {

/// What right submissions answer in one test is far less: see answers_of_a_test and CallLimits.
constexpr std::uint64_t most_of_an_honest_test = std::uint64_t{32} << 20U;

std::string gtest_messages(const testing::TestResult& result) {
    std::string text;
    for (int i = 0; i < result.total_part_count(); ++i)
        if (result.GetTestPartResult(i).failed()) text += result.GetTestPartResult(i).message();
    return text;
}

void add_once(std::vector<std::string>& all, const std::string& one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

/// Nothing where there are no others.
std::optional<std::vector<std::string>> all_but(std::vector<std::string> all, const std::string& one) {
    std::erase(all, one);
    return all.empty() ? std::nullopt : std::optional(std::move(all));
}

}  // namespace

void Listener::OnTestStart(const testing::TestInfo&) {
    student_.begin_test();
    own_memory_ran_out() = false;
}

void Listener::OnTestEnd(const testing::TestInfo& info) {
    if (info.name() == std::string_view(visible_tests))
        visible_ = result(info);
    else
        results_.push_back(result(info));
}

bool Listener::all_passed() const {
    return std::ranges::all_of(results_,
                               [](const Result& one) { return one.test.state == verdict::TestState::passed; });
}

Listener::Result Listener::result(const testing::TestInfo& info) {
    TestRecord& record = student_.test_record();
    student_.collect_output();
    const auto declared = std::find_if(suite_.properties.begin(), suite_.properties.end(),
                                       [&](const Property& one) { return one.name == info.name(); });
    verdict::Test test;
    test.name = info.name();
    if (declared != suite_.properties.end()) {
        test.property = declared->sentence;
        test.max_points = declared->points;
    }
    test.seconds = static_cast<double>(info.result()->elapsed_time()) / 1000.0;
    test.output = record.output;
    test.output_truncated = record.output_truncated;
    if (!record.remarks.empty()) test.remarks = record.remarks;
    if (!info.result()->Failed()) {
        test.state = verdict::TestState::passed;
        test.points = test.max_points;
        if (session_.sanitized && record.asked.empty() && record.answered.empty() && record.refused.empty())
            test.asked_nothing = true;
    } else if (record.failure) {
        test.state = verdict::TestState::failed;
        test.failure = record.failure;
        student_.fresh_worker();
    } else if (!record.not_implemented.empty()) {
        test.state = verdict::TestState::not_implemented;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::exception;
        test.failure->function = record.not_implemented;
        test.failure->message = record.not_implemented + " is not written yet";
    } else if (own_memory_ran_out() && record.answered_bytes > most_of_an_honest_test) {
        // It was kept for this submission: nothing else that a judge holds grows with what others say.
        test.state = verdict::TestState::failed;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::memory;
        test.failure->function = record.function;
        test.failure->message = fmt::format(
            "your functions answered with {} MiB of numbers in this test, more than the grader has room to compare",
            record.answered_bytes >> 20U);
        student_.fresh_worker();
    } else if (student_.is_out_of_time()) {
        test.state = verdict::TestState::failed;
        test.failure.emplace();
        test.failure->kind = verdict::FailureKind::timeout;  // of no function
        test.failure->message = fmt::format(
            "all calls together took more than {} s of computing and waiting; what was not asked by then counts as "
            "not passed",
            std::chrono::duration_cast<std::chrono::seconds>(student_.limits().budget->all()).count());
        student_.fresh_worker();
    } else {
        // Neither the submission nor a stub: the suite or the machine. Never the student's zero.
        test.state = verdict::TestState::unavailable;
        test.failure.emplace();
        test.failure->message = record.unavailable.empty()
                                    ? "the hidden test itself failed: " + gtest_messages(*info.result())
                                    : record.unavailable;
        student_.fresh_worker();
    }
    return {std::move(test), std::move(record)};
}

std::vector<std::pair<std::string, Comparisons>> Listener::comparisons() const {
    std::vector<std::pair<std::string, Comparisons>> all;
    for (const Result& result : results_) all.emplace_back(result.test.name, result.record.comparisons);
    return all;
}

std::vector<Sweep> Listener::sweeps() const {
    std::vector<Sweep> all;
    for (const Result& result : results_) std::ranges::copy(result.record.sweeps, std::back_inserter(all));
    return all;
}

std::vector<std::string> Listener::blamed(const std::vector<std::string>& functions) const {
    std::vector<std::string> wrong;
    for (const Result& result : results_)
        if (result.test.state != verdict::TestState::passed && result.test.failure && result.record.waits_for.empty() &&
            std::ranges::find(functions, result.test.failure->function) != functions.end())
            add_once(wrong, result.test.failure->function);
    return wrong;
}

bool Listener::any_shown(const std::set<std::string>& functions) const {
    return std::any_of(results_.begin(), results_.end(), [&](const Result& result) {
        return std::any_of(functions.begin(), functions.end(),
                           [&](const std::string& function) { return result.record.shown.contains(function); });
    });
}

bool Listener::ever_answered(const std::string& function) const {
    return std::any_of(results_.begin(), results_.end(),
                       [&](const Result& result) { return result.record.answered.contains(function); });
}

std::vector<std::string> Listener::refusing_by_chance(const TestRecord& record) const {
    const auto throws = [&](const std::string& function) {
        return std::ranges::any_of(results_, [&](const Result& result) {
            return result.test.state == verdict::TestState::failed && result.test.failure &&
                   result.test.failure->kind == verdict::FailureKind::exception &&
                   result.test.failure->function == function;
        });
    };
    std::vector<std::string> found;
    std::ranges::copy_if(record.refused, std::back_inserter(found), [&](const std::string& function) {
        return !record.answered.contains(function) && throws(function);
    });
    return found;
}

std::optional<verdict::Failure> Listener::unearned(const TestRecord& record) const {
    // The plain build shows what a function computes. In this one it may have been too slow to answer.
    if (session_.sanitized) return std::nullopt;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.story = record.numbered_story();
    for (const std::string& function : record.refused)
        if (!ever_answered(function)) {
            failure.kind = verdict::FailureKind::exception;
            failure.function = function;
            failure.message =
                "your " + function + " answers in none of these tests, so nothing is shown by its throwing here";
            return failure;
        }
    if (record.asked.empty() || !record.shown.empty() || any_shown(record.asked)) return std::nullopt;
    // Where one of those asked is wrong in a test of its own, it is what the others could not show anything without.
    const auto wrong = blamed({record.asked.begin(), record.asked.end()});
    const bool is_another = !wrong.empty() && std::ranges::find(wrong, record.function) == wrong.end();
    failure.function = is_another ? wrong.front() : record.function;
    failure.message = "not counted yet: in this test, no answer of your " + failure.function +
                      " was right that depends on what it is asked, and what is looked at here holds for a function "
                      "that computes nothing, too";
    return failure;
}

std::vector<std::string> Listener::waits_for(const Result& result) const {
    if (result.test.state != verdict::TestState::failed || result.record.waits_for.empty()) return {};
    if (auto wrong = blamed(result.record.waits_for); !wrong.empty()) return wrong;
    // What all tests need fails in all of them: the first says so.
    const std::string& function = result.test.failure->function;
    const auto first = std::find_if(results_.begin(), results_.end(), [&](const Result& one) {
        return one.test.state == verdict::TestState::failed && one.test.failure->function == function;
    });
    const auto& awaited = result.record.waits_for;
    const bool fails_in_it = std::find(awaited.begin(), awaited.end(), function) != awaited.end();
    return fails_in_it && &*first != &result ? std::vector{function} : std::vector<std::string>{};
}

void Listener::settle_credits(verdict::Test& test, const TestRecord& record) const {
    std::vector<std::string> all_wrong;
    for (const Credit& credit : record.credits) {
        if (test.state != verdict::TestState::passed) return;
        // The first that is wrong of itself: what is listed later may be wrong in what does not matter here.
        std::string wrong;
        for (const std::string& function : credit.functions) {
            if (blamed({function}).empty()) continue;
            if (wrong.empty()) wrong = function;
            add_once(all_wrong, function);
        }
        if (!wrong.empty()) {
            test.given = wrong;
            test.failure = credit.failure;  // which the grading needs if it does not stand
            test.function = credit.failure.function;
            if (const auto states = suite_.states.find(test.name); states != suite_.states.end())
                test.states = states->second;
            continue;
        }
        test.state = verdict::TestState::failed;
        test.points = 0;
        test.failure = credit.failure;
        test.given.reset();
        test.function.reset();
        test.states.reset();
    }
    // By which of them it is wrong is not known.
    if (test.given) test.also_wrong = all_but(all_wrong, *test.given);
}

std::vector<verdict::Test> Listener::settled() const {
    std::vector<verdict::Test> tests;
    for (const Result& result : results_) {
        tests.push_back(result.test);
        verdict::Test& test = tests.back();
        settle_credits(test, result.record);
        if (const auto wrong = waits_for(result); !wrong.empty()) {
            test.depends_on = wrong.front();
            test.also_wrong = all_but(wrong, wrong.front());
        }
        if (test.state != verdict::TestState::passed) continue;
        if (auto failure = unearned(result.record)) {
            test.state = verdict::TestState::failed;
            test.points = 0;
            test.depends_on = failure->function;
            test.also_wrong.reset();
            test.failure = std::move(failure);
        } else if (const auto chance = refusing_by_chance(result.record); !chance.empty() && !test.given) {
            test.given = test.function = chance.front();  // of itself: what is wrong in it costs no point here
            test.also_wrong = all_but(chance, chance.front());
            test.states.emplace();
        }
    }
    settle_visible(tests);
    return tests;
}

void Listener::settle_visible(std::vector<verdict::Test>& tests) const {
    if (!visible_ || visible_->test.state == verdict::TestState::passed || tests.empty()) return;
    const auto passed = [](const verdict::Test& test) { return test.state == verdict::TestState::passed; };
    if (!std::ranges::all_of(tests, passed)) return;
    const auto first_with = [&](const std::set<std::string> TestRecord::*functions) {
        return static_cast<std::size_t>(
            std::ranges::find_if(
                results_,
                [&](const Result& one) { return (one.record.*functions).contains(visible_->record.function); }) -
            results_.begin());
    };
    // One that saw it compute: another may only have looked at what it refuses.
    std::size_t at = first_with(&TestRecord::shown);
    if (at == tests.size()) at = first_with(&TestRecord::asked);
    verdict::Test& test = tests[at % tests.size()];
    test.state = visible_->test.state;
    test.points = 0;
    test.failure = visible_->test.failure;
}

}  // namespace headway::judge
