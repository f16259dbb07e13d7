#include "student/visible_tests.hpp"

#include "verdict/utf8.hpp"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>

namespace headway::judge {
namespace {

/// The visible test that is running.
struct Running {
    Student& student;
    testing::TestPartResultArray broken;  ///< what does not hold in it
    /// What kept a call from an answer, if that was no exception of the submission's. EXPECT_THROW would take it for
    /// one.
    std::exception_ptr trouble;
};

Running* running = nullptr;

/// What the submission threw, beside the type that it has to be.
struct ThrownByIt {
    std::string message;
};

template <class Exception>
struct Thrown : Exception, ThrownByIt {
    explicit Thrown(const std::string& words) : Exception(words), ThrownByIt{words} {}
};

/// Ends a visible test whose expectations are broken already: what it asks after that is of no use.
struct Broken {};

/// Of one answer, with every element written out. Visible tests are small enough to be worked out by hand, and what
/// they do with an answer, writing it out or walking through it, is in no budget.
constexpr std::uint64_t most_answered_bytes = std::uint64_t{1} << 20U;

/// Of what GoogleTest says, which writes values out.
constexpr std::size_t most_words = 2000;

std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

/// @param line  of visible_test.cpp
[[noreturn]] void fail_for(const TestRecord& record, const VisibleTest& test, int line, const std::string& what) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.message = fmt::format("your {} is not what visible_test.cpp expects in line {} ({}): {}", record.function,
                                  line, test.name, verdict::beginning_of(on_one_line(what), most_words));
    fail(std::move(failure));
}

void ask(Student& student, const VisibleTest& test) {
    Running now{student, {}, {}};
    running = &now;
    std::string thrown;
    {
        const testing::ScopedFakeTestPartResultReporter reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &now.broken);
        try {
            test.body();
        } catch (const Broken&) {
        } catch (const ThrownByIt& error) {
            thrown = "it threw: " + error.message;
        } catch (const std::bad_alloc&) {  // answers are too small for that
            throw;
        } catch (const std::exception& error) {  // an answer of another shape was indexed, say
            thrown = error.what();
        }
    }
    if (now.trouble) std::rethrow_exception(now.trouble);
    for (int i = 0; i < now.broken.size(); ++i) {
        const testing::TestPartResult& one = now.broken.GetTestPartResult(i);
        if (one.failed()) fail_for(student.test_record(), test, one.line_number(), one.message());
    }
    if (!thrown.empty()) fail_for(student.test_record(), test, test.line, thrown);
}

void require_small(const wire::Value& answer) {
    const std::uint64_t bytes = wire::bytes_to_unfold(answer);
    if (bytes <= most_answered_bytes) return;
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::wrong_behaviour;
    failure.message =
        fmt::format("answered with {} KiB of numbers, where visible_test.cpp asks for a few", bytes >> 10U);
    throw StopTest{std::move(failure), true};
}

/// The submission.
/// @throws Broken  if an expectation is broken already
Student& asked_student() {
    for (int i = 0; i < running->broken.size(); ++i)
        if (running->broken.GetTestPartResult(i).failed()) throw Broken{};
    return running->student;
}

}  // namespace

std::map<std::string, std::vector<VisibleTest>>& visible_tests() {
    static std::map<std::string, std::vector<VisibleTest>> all;
    return all;
}

VisibleRegistration::VisibleRegistration(const std::string& exercise, VisibleTest test) {
    visible_tests()[exercise].push_back(std::move(test));
}

void ask_visible_tests(Student& student, const std::string& exercise) {
    for (const VisibleTest& test : visible_tests()[exercise]) ask(student, test);
}

wire::Value asked(const std::string& function, const Arguments& arguments, bool keep_result) {
    Student& student = asked_student();
    Outcome outcome;
    try {
        outcome = student.outcome(function, arguments, keep_result);
        if (outcome.error && lacks_resources(*outcome.error)) student.in_doubt();
        require_small(outcome.value);
    } catch (...) {
        running->trouble = std::current_exception();
        throw;
    }
    if (!outcome.error) return std::move(outcome.value);
    switch (outcome.error->kind) {
        case wire::ErrorKind::invalid_argument:
            throw Thrown<std::invalid_argument>(outcome.error->message);
        case wire::ErrorKind::out_of_range:
            throw Thrown<std::out_of_range>(outcome.error->message);
        default:
            throw Thrown<std::runtime_error>(outcome.error->message);
    }
}

wire::Value asked_in_passing(const std::string& function, const Arguments& arguments, bool keep_result) {
    return asked_student().outside_story([&] { return asked(function, arguments, keep_result); });
}

}  // namespace headway::judge
