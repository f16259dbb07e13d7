#include "verdict/verdict.hpp"

#include <array>
#include <ctime>
#include <stdexcept>

#include "verdict/names.hpp"

namespace headway::verdict {
namespace {

template <typename Enumeration>
std::string name_of(Enumeration value) {
    for (const auto& [candidate, name] : names_of(value)) {
        if (candidate == value) return std::string(name);
    }
    throw std::invalid_argument("a verdict holds a value outside its enumeration");
}

}  // namespace

std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, sizeof "2026-11-21T12:15:36Z"> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string to_string(State state) { return name_of(state); }
std::string to_string(TestState state) { return name_of(state); }
std::string to_string(FailureKind kind) { return name_of(kind); }
std::string to_string(BuildProblem problem) { return name_of(problem); }
std::string to_string(FailedIn builds) { return name_of(builds); }
std::string to_string(FunctionState state) { return name_of(state); }
std::string to_string(Stage stage) { return name_of(stage); }

bool ends_the_program(FailureKind kind) {
    return kind == FailureKind::crash || kind == FailureKind::timeout || kind == FailureKind::sanitizer;
}

bool was_not_asked(const Test& test) {
    return test.state == TestState::failed && test.failure && test.failure->kind == FailureKind::timeout &&
           test.failure->function.empty();
}

State state_from(const std::string& name) {
    for (const auto& [state, known] : names_of(State{}))
        if (known == name) return state;
    throw std::runtime_error("'" + name + "' is no state of an exercise");
}

}  // namespace headway::verdict
