#pragma once

#include "verdict/verdict.hpp"

#include <array>
#include <string_view>
#include <utility>

/// How enumerations are spelled in documents. Each list is in the order of its enumeration.
namespace headway::verdict {

template <typename Enumeration, std::size_t count>
using Names = std::array<std::pair<Enumeration, std::string_view>, count>;

constexpr Names<State, 5> names_of(State) {
    return {{{State::not_started, "not_started"},
             {State::partial, "partial"},
             {State::failed, "failed"},
             {State::passed, "passed"},
             {State::unavailable, "unavailable"}}};
}

constexpr Names<TestState, 4> names_of(TestState) {
    return {{{TestState::passed, "passed"},
             {TestState::failed, "failed"},
             {TestState::not_implemented, "not_implemented"},
             {TestState::unavailable, "unavailable"}}};
}

constexpr Names<FailureKind, 11> names_of(FailureKind) {
    return {{{FailureKind::wrong_value, "wrong_value"},
             {FailureKind::wrong_shape, "wrong_shape"},
             {FailureKind::wrong_behaviour, "wrong_behaviour"},
             {FailureKind::exception, "exception"},
             {FailureKind::crash, "crash"},
             {FailureKind::exit, "exit"},
             {FailureKind::timeout, "timeout"},
             {FailureKind::memory, "memory"},
             {FailureKind::output_flood, "output_flood"},
             {FailureKind::sanitizer, "sanitizer"},
             {FailureKind::protocol, "protocol"}}};
}

constexpr Names<FailedIn, 4> names_of(FailedIn) {
    return {{{FailedIn::neither, ""},
             {FailedIn::plain, "plain"},
             {FailedIn::sanitized, "sanitized"},
             {FailedIn::both, "both"}}};
}

constexpr Names<FunctionState, 4> names_of(FunctionState) {
    return {{{FunctionState::named, "named"},
             {FunctionState::follows, "follows"},
             {FunctionState::unjudged, "unjudged"},
             {FunctionState::unrecognised, "unrecognised"}}};
}

constexpr Names<Stage, 13> names_of(Stage) {
    return {{{Stage::none, ""},
             {Stage::project, "project"},
             {Stage::split, "split"},
             {Stage::scores, "scores"},
             {Stage::scale, "scale"},
             {Stage::mask, "mask"},
             {Stage::softmax, "softmax"},
             {Stage::dropout, "dropout"},
             {Stage::weigh, "weigh"},
             {Stage::merge, "merge"},
             {Stage::output, "output"},
             {Stage::state, "state"},
             {Stage::memory, "memory"}}};
}

constexpr Names<BuildProblem, 9> names_of(BuildProblem) {
    return {{{BuildProblem::none, "none"},
             {BuildProblem::compile_error, "compile_error"},
             {BuildProblem::missing_definition, "missing_definition"},
             {BuildProblem::wrong_signature, "wrong_signature"},
             {BuildProblem::not_available, "not_available"},
             {BuildProblem::has_main, "has_main"},
             {BuildProblem::link_error, "link_error"},
             {BuildProblem::too_long, "too_long"},
             {BuildProblem::no_source, "no_source"}}};
}

}  // namespace headway::verdict
