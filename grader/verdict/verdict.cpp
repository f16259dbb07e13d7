#include "verdict.hpp"

#include <stdexcept>

#include "names.hpp"

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

std::string to_string(State state) { return name_of(state); }
std::string to_string(TestState state) { return name_of(state); }
std::string to_string(FailureKind kind) { return name_of(kind); }
std::string to_string(BuildProblem problem) { return name_of(problem); }

State state_from(const std::string& name) {
    for (const auto& [state, known] : names_of(State{}))
        if (known == name) return state;
    throw std::runtime_error("'" + name + "' is no state of an exercise");
}

}  // namespace headway::verdict
