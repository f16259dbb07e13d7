#include "test_record.hpp"

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

void shown() { current_test().shown.insert(current_test().function); }

void remark(std::string sentence) { current_test().remarks.push_back(std::move(sentence)); }

void fail(verdict::Failure failure) {
    TestRecord& record = current_test();
    if (failure.function.empty()) failure.function = record.function;
    failure.story = record.story;
    record.failure = std::move(failure);
    throw StopTest{};
}

}  // namespace headway::judge
