#include "student/test_record.hpp"

#include "student/record_field.hpp"
#include "student/student.hpp"
#include "verdict/utf8.hpp"

#include <cstddef>
#include <utility>

namespace headway::judge {
namespace {

/// Of a failure's words, as they are shown: spelled out, one byte becomes four. What a submission throws is shorter;
/// names of its parameters, and values that are written out, may have any length, and all views and the diagnosis get
/// them.
constexpr std::size_t most_message_bytes = 8192;

}  // namespace

verdict::Failure TestRecord::completed(const StopTest& stop) const {
    verdict::Failure one = stop.failure.value_or(verdict::Failure{});
    if (one.function.empty()) one.function = function;
    if (stop.says_it_of_last_call) one.message = "your " + function + " " + one.message;
    one.message = verdict::beginning_of(verdict::showable(one.message), most_message_bytes);
    return one;
}

void TestRecord::stopped_by(const StopTest& stop) {
    if (!unavailable.empty()) return;
    if (!let_through.empty()) {
        failure = completed({in_one(let_through)});
        if (!besides.empty()) failure->message += ". Besides: " + besides;
        waits_for.clear();
        return;
    }
    if (!stop.failure) return;
    failure = completed(stop);
    failure->story = story;
}

void shown(Student& student) { shown(student, student.test_record().function); }
void shown(Student& student, const std::string& function) { student.test_record().shown.insert(function); }

void remark(Student& student, std::string sentence) { student.test_record().remarks.push_back(std::move(sentence)); }

void remark_unmeasured_memory(Student& student, const std::string& function) {
    remark(student, "how much memory your " + function +
                        " takes cannot be told on this machine (its kernel does not count it for a group of "
                        "processes), so nothing is held against it.");
}

SweepInTurn::SweepInTurn(Student& student, std::string kind, std::string of, std::size_t questions,
                         std::set<std::string> functions)
    : record_(student.test_record()), sweep_{std::move(kind), std::move(of), questions, std::move(functions)} {
    std::swap(answered_before_, record_.answered);
}

SweepInTurn::~SweepInTurn() {
    sweep_.functions.insert(record_.answered.begin(), record_.answered.end());
    record_.answered.merge(answered_before_);
    record_.sweeps.push_back(std::move(sweep_));
}

void fail(verdict::Failure failure) { throw StopTest{std::move(failure)}; }

void fail_for_form(const std::string& field) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::protocol;
    failure.message = "sent something that is not an answer (its " + field + " is missing or of another kind)";
    throw StopTest{std::move(failure), true};
}

}  // namespace headway::judge
