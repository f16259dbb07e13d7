#include "verdict/withhold.hpp"

#include <stdexcept>

namespace headway::verdict {
namespace {

/// These failures are about the submission's own behaviour; their message holds no expected value.
bool tells_nothing_expected(FailureKind kind) {
    return kind != FailureKind::wrong_value && kind != FailureKind::wrong_shape && kind != FailureKind::wrong_behaviour;
}

void withhold_expected(Failure& failure) {
    failure.worst.reset();
    failure.expected.reset();
    failure.yours.reset();
    failure.window.reset();
    if (!tells_nothing_expected(failure.kind)) failure.message.clear();
}

void withhold_from(Exercise& exercise, Tell tell) {
    for (Test& test : exercise.tests) {
        if (test.failure && tell == Tell::diagnosis) withhold_expected(*test.failure);
        if (tell == Tell::diagnosis) continue;
        if (test.state != TestState::not_implemented && test.state != TestState::unavailable) test.failure.reset();
        test.output.clear();
        test.output_truncated = false;
        test.remarks.reset();
    }
    if (tell == Tell::diagnosis) return;
    exercise.diagnosis.reset();
    exercise.coverage.clear();
    exercise.places.reset();
    if (tell == Tell::score) exercise.tests.clear();
}

}  // namespace

Tell tell_from(const std::string& word) {
    if (word == "full") return Tell::full;
    if (word == "diagnosis") return Tell::diagnosis;
    if (word == "property") return Tell::property;
    if (word == "score") return Tell::score;
    throw std::runtime_error("tell = \"" + word + "\" is none of full, diagnosis, property, score");
}

void withhold(Verdict& verdict, Tell tell) {
    if (tell == Tell::full) return;
    for (Exercise& exercise : verdict.exercises) withhold_from(exercise, tell);
}

}  // namespace headway::verdict
