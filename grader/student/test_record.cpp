#include "student/test_record.hpp"

#include "student/record_field.hpp"
#include "student/student.hpp"

#include <utility>

namespace headway::judge {

void TestRecord::stopped_by(const StopTest& stop) {
    if (!stop.failure) return;
    failure = stop.failure;
    if (failure->function.empty()) failure->function = function;
    if (stop.says_it_of_last_call) failure->message = "your " + function + " " + failure->message;
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
