#include "grading/both_builds.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace headway::cli {
namespace {

using verdict::FailedIn;
using verdict::TestState;

/// Whether only the sanitized build ran out of time.
bool is_unchecked(const verdict::Test& plain, const verdict::Test& sanitized) {
    return plain.state == TestState::passed && sanitized.state == TestState::failed && sanitized.failure &&
           sanitized.failure->kind == verdict::FailureKind::timeout;
}

/// The failure that says more: a sanitizer's report names the line. Where it tells the mistake itself, what the other
/// build made of that (a forgotten return, say) is of no use; nor is what a program sends whose memory is overwritten.
bool says_more(const verdict::Test& a, const verdict::Test& b) {
    if (was_not_asked(b) && !was_not_asked(a)) return true;
    return a.failure && a.failure->kind == verdict::FailureKind::sanitizer && b.failure &&
           (a.failure->advice || b.failure->kind == verdict::FailureKind::crash ||
            b.failure->kind == verdict::FailureKind::protocol);
}

/// One build may tell the line, and what comes to pass there, where the other cannot.
void complete_line(verdict::Test& test, const verdict::Test& other) {
    if (!test.failure || test.failure->advice || other.state != TestState::failed || !other.failure) return;
    if (!verdict::ends_the_program(test.failure->kind) || !verdict::ends_the_program(other.failure->kind) ||
        test.failure->function != other.failure->function)
        return;
    const bool is_one_line = test.failure->at && other.failure->at &&
                             test.failure->at->file == other.failure->at->file &&
                             test.failure->at->line == other.failure->at->line;
    if (!test.failure->at) {
        test.failure->at = other.failure->at;
        test.failure->advice = other.failure->advice;
    }
    if (is_one_line) test.failure->advice = other.failure->advice;
}

/// Whether it did not come to an end in the plain build either: then it is not the build that is slow.
bool never_ends(const std::string& function, const std::vector<verdict::Test>& plain) {
    return !function.empty() && std::ranges::any_of(plain, [&](const verdict::Test& test) {
        return test.state == TestState::failed && test.failure && test.failure->kind == verdict::FailureKind::timeout &&
               test.failure->function == function;
    });
}

/// @param function  empty: all calls together took too long
std::string why_unchecked(const std::string& function, const std::vector<verdict::Test>& plain) {
    const std::string why =
        function.empty() ? "all calls together were too slow in the build that watches memory"
        : never_ends(function, plain)
            ? "your " + function + " did not come to an end in the build that watches memory, either"
            : "your " + function + " was too slow in the build that watches memory";
    return why + ": what was not answered there in time was not checked";
}

}  // namespace

verdict::Test merge(const verdict::Test& plain, const verdict::Test& sanitized) {
    if (is_unchecked(plain, sanitized)) {
        verdict::Test test = plain;
        test.seconds += sanitized.seconds;
        return test;
    }
    const bool plain_passed = plain.state == TestState::passed;
    const bool sanitized_passed = sanitized.state == TestState::passed;
    const bool unavailable = plain.state == TestState::unavailable || sanitized.state == TestState::unavailable;
    const bool take_sanitized = unavailable ? sanitized.state == TestState::unavailable
                                            : plain_passed || (!sanitized_passed && says_more(sanitized, plain));
    verdict::Test test = take_sanitized ? sanitized : plain;
    test.asked_nothing.reset();
    test.seconds = plain.seconds + sanitized.seconds;
    if (test.state != TestState::failed) return test;
    complete_line(test, take_sanitized ? plain : sanitized);
    // There nobody asked for evidence that what follows from a wrong answer was computed.
    const bool only_on_credit = sanitized_passed && sanitized.given;
    test.build = plain_passed                              ? FailedIn::sanitized
                 : sanitized.asked_nothing.value_or(false) ? FailedIn::neither
                 : sanitized_passed && !only_on_credit     ? FailedIn::plain
                                                           : FailedIn::both;
    return test;
}

std::vector<std::string> unchecked_for_time(const std::vector<verdict::Test>& plain,
                                            const std::vector<verdict::Test>& sanitized) {
    std::set<std::string> sentences;
    for (std::size_t i = 0; i < plain.size(); ++i)
        if (is_unchecked(plain[i], sanitized[i]))
            sentences.insert(why_unchecked(sanitized[i].failure->function, plain));
    return {sentences.begin(), sentences.end()};
}

}  // namespace headway::cli
