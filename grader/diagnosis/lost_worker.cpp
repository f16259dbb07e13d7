#include "diagnosis/lost_worker.hpp"

#include "diagnosis/never_reached.hpp"

#include "student/behaviour.hpp"
#include "student/sanitizer_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway::diagnosis {

using verdict::FailureKind;

namespace {

bool report_says(const verdict::SanitizerReport& report, const char* hint) {
    return std::any_of(report.first_lines.begin(), report.first_lines.end(),
                       [&](const std::string& line) { return line.find(hint) != std::string::npos; });
}

/// Whether an address close to 0 was used: a null pointer, or the numbers of an empty vector.
bool is_near_zero(const verdict::SanitizerReport& report) {
    return report_says(report, "address points to the zero page");
}

/// Whether an address was used that no memory of a program has. What a variable holds that was never set makes such a
/// one (HEADWAY_FILL_LOCALS); an index that runs past the end of its tensor does not.
bool points_outside_all_memory(const verdict::SanitizerReport& report) {
    return report_says(report, "dereference of a high value address");
}

}  // namespace

bool is_timeout(const Reply& reply) { return reply.failure && reply.failure->kind == FailureKind::timeout; }

std::string mistake_behind(const verdict::Failure& failure) {
    if (failure.kind == FailureKind::timeout)
        return failure.message.find(judge::waits) == std::string::npos ? "never_ends" : "waits_without_end";
    if (failure.kind == FailureKind::exception) return {};  // its words are of any kind
    const std::string kind = failure.sanitizer ? failure.sanitizer->kind : failure.message;
    const auto says = [&](const char* text) { return kind.find(text) != std::string::npos; };
    if (says(judge::stack_overflow) || says(judge::used_up_the_stack)) {
        if (failure.message.find(judge::recurses) != std::string::npos) return "calls_itself_without_end";
        return failure.message.find(judge::too_large_arrays) != std::string::npos ? "arrays_larger_than_the_stack"
                                                                                  : "stack_used_up";
    }
    if (says("use-after") || says("double-free") || says("bad-free")) return "used_after_freed";
    if (says("division by zero") || says("SIGFPE") || says("FPE")) return "divides_by_zero";
    if (says("overflow") && !says("signed integer") && !says("unsigned")) return "reads_out_of_bounds";
    if (failure.sanitizer && is_near_zero(*failure.sanitizer)) return points_nowhere;
    if (failure.sanitizer && points_outside_all_memory(*failure.sanitizer)) return "wild_pointer_followed";
    if (says("out of bounds") || says("index") || says("SEGV") || says("SIGSEGV")) return "reads_out_of_bounds";
    return {};
}

bool fails_without_a_name(const Function& function, const Findings& findings) {
    return findings.mistakes.empty() && !was_never_reached(function, findings) &&
           std::ranges::any_of(findings.questions, [](const Findings::Question& question) {
               return !question.clean && question.reply.failure && !is_timeout(question.reply);
           });
}

bool uses_up_the_stack(const Findings& findings) {
    return std::ranges::any_of(findings.mistakes, [](const std::string& mistake) {
        return mistake == "calls_itself_without_end" || mistake == "arrays_larger_than_the_stack" ||
               mistake == "stack_used_up";
    });
}

std::vector<const char*> consequences(const Findings& findings) {
    const auto is_named = [&](const char* mistake) { return std::ranges::count(findings.mistakes, mistake) > 0; };
    std::vector<const char*> all;
    // One loop too many through an empty vector is no second mistake, nor is what an index finds that runs away.
    if (is_named("reads_out_of_bounds")) all = {points_nowhere, "wild_pointer_followed", "used_after_freed"};
    // Until the stack is used up, time may be.
    if (uses_up_the_stack(findings)) all.push_back("never_ends");
    if (is_named("calls_itself_without_end") || is_named("arrays_larger_than_the_stack"))
        all.push_back("stack_used_up");
    return all;
}

void EndedCalls::add(const judge::Arguments& arguments, const Reply& reply) {
    if (!reply.failure)
        others_.push_back(facts_of(arguments));
    else if (mistake_behind(*reply.failure) == points_nowhere)
        ended_.push_back(facts_of(arguments));
}

std::string EndedCalls::where() const {
    constexpr std::size_t least = 2;
    if (ended_.size() < least || others_.size() < least) return {};
    std::vector<std::string> found;
    for (const auto& [words, unused] : ended_.front().flag) {
        const auto is = [&words = words](const Facts& one, bool given) {
            const auto flag = one.flag.find(words);
            return flag != one.flag.end() && flag->second == given;
        };
        if (says_not_given(words.second) &&
            std::ranges::all_of(ended_, [&](const Facts& one) { return is(one, false); }) &&
            std::ranges::all_of(others_, [&](const Facts& one) { return is(one, true); }))
            found.push_back(words.second);
    }
    if (found.size() != 1) return {};
    return fmt::format(
        "it ends where {}: of the calls that we tried again, in all {} such, and in none of the {} others",
        found.front(), ended_.size(), others_.size());
}

bool comes_to_no_end(const Reply& reply) {
    if (is_timeout(reply)) return true;
    const std::string mistake = reply.failure ? mistake_behind(*reply.failure) : "";
    return mistake == "calls_itself_without_end" || mistake == "stack_used_up";
}

}  // namespace headway::diagnosis
