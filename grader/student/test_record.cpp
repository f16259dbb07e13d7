#include "student/test_record.hpp"

#include "student/record_field.hpp"

#include <utility>

namespace headway::judge {

std::string to_string(Stage stage) {
    switch (stage) {
        case Stage::none:
            return "";
        case Stage::project:
            return "project";
        case Stage::split:
            return "split";
        case Stage::scores:
            return "scores";
        case Stage::scale:
            return "scale";
        case Stage::mask:
            return "mask";
        case Stage::softmax:
            return "softmax";
        case Stage::dropout:
            return "dropout";
        case Stage::weigh:
            return "weigh";
        case Stage::merge:
            return "merge";
        case Stage::output:
            return "output";
        case Stage::state:
            return "state";
    }
    return "";
}

TestRecord& current_test() {
    static TestRecord record;
    return record;
}

void shown() { shown(current_test().function); }
void shown(const std::string& function) { current_test().shown.insert(function); }

void remark(std::string sentence) { current_test().remarks.push_back(std::move(sentence)); }

void fail(verdict::Failure failure) {
    TestRecord& record = current_test();
    if (failure.function.empty()) failure.function = record.function;
    failure.story = record.story;
    record.failure = std::move(failure);
    throw StopTest{};
}

void fail_for_form(const std::string& field) {
    verdict::Failure failure;
    failure.kind = verdict::FailureKind::protocol;
    failure.message = "your " + current_test().function + " sent something that is not an answer (its " + field +
                      " is missing or of another kind)";
    fail(std::move(failure));
}

}  // namespace headway::judge
