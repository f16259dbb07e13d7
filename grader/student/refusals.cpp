// What a submission must not answer.
#include "student/student.hpp"

#include <algorithm>
#include <utility>
#include <variant>

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

}  // namespace

void Student::refuses(const std::string& function, const Arguments& arguments, const std::string& because,
                      std::initializer_list<ErrorKind> accepted) {
    const Outcome outcome = ask(function, arguments, false);
    Failure failure;
    failure.kind = FailureKind::wrong_behaviour;
    failure.message = because + ": your " + function;
    if (outcome.error && std::ranges::find(accepted, outcome.error->kind) != accepted.end()) {
        test_.refused.insert(function);
        if (outcome.changed_arguments.empty()) return;
        failure.message += " throws, as it should, but its argument " + outcome.changed_arguments.front() +
                           " holds other numbers than before";
    } else if (outcome.error) {
        failure.message += " should throw std::invalid_argument, but it threw " + outcome.error->type +
                           (outcome.error->message.empty() ? "" : " (" + outcome.error->message + ")");
        if (!outcome.error->frames.empty()) failure.frames = outcome.error->frames;
    } else {
        failure.message += " should throw std::invalid_argument, but it " + what_came(outcome.value);
    }
    fail(std::move(failure));
}

void Student::refuses(const std::string& function, const Arguments& arguments, const std::string& because) {
    refuses(function, arguments, because, {ErrorKind::invalid_argument});
}

void Student::refuses_index(const std::string& function, const Arguments& arguments, const std::string& because) {
    refuses(function, arguments, because, {ErrorKind::invalid_argument, ErrorKind::out_of_range});
}

}  // namespace headway::judge
