#include "classroom/graded_work.hpp"

#include "submission/digest.hpp"

#include <algorithm>
#include <cmath>

namespace headway::classroom {
namespace {

using gradebook::Attempt;
using gradebook::ExerciseMark;
using gradebook::Mark;
using gradebook::Standing;

/// Something that was not handed in is a test that failed; what is open is nobody's failure.
verdict::Exercise gap(const ExerciseMark& one) {
    verdict::Exercise exercise;
    exercise.number = one.exercise.substr(0, 2);
    exercise.name = exercise.title = one.exercise;
    exercise.max_points = static_cast<int>(std::lround(one.max_points));
    if (one.open) {
        exercise.problem = one.standing == Standing::malformed ? "what was handed in could not be read: no mark yet"
                                                               : "not graded yet: no mark, and no zero";
        return exercise;
    }
    exercise.state = verdict::State::not_started;
    verdict::Test test;
    test.name = "IsHandedIn";
    test.property = "the exercise is handed in";
    test.max_points = exercise.max_points;
    test.state = verdict::TestState::failed;
    test.failure = verdict::Failure{};
    test.failure->kind = verdict::FailureKind::wrong_behaviour;
    test.failure->message = "nothing that can be graded was handed in";
    exercise.tests = {test};
    return exercise;
}

}  // namespace

verdict::Verdict verdict_of(const GradedClass& graded, const Mark& mark) {
    verdict::Verdict verdict;
    verdict.submission = mark.student;
    build::Digest digest;
    for (const ExerciseMark& one : mark.exercises) {
        if (one.source.empty()) continue;
        const auto found = graded.gradebook.verdict(one.source, graded.edition.suites.at(one.exercise));
        if (!found) continue;
        verdict.started = found->graded;
        verdict.seconds += found->exercise.seconds;
        verdict.exercises.push_back(found->exercise);
        digest.add(found->exercise.digest);
    }
    verdict.digest = digest.hex();
    verdict::withhold(verdict, graded.tell);
    return verdict;
}

verdict::Verdict verdict_with_gaps(const GradedClass& graded, const Mark& mark) {
    verdict::Verdict verdict = verdict_of(graded, mark);
    if (verdict.started.empty()) verdict.started = verdict::now();
    for (const ExerciseMark& one : mark.exercises)
        if (std::ranges::find(verdict.exercises, one.exercise, &verdict::Exercise::name) == verdict.exercises.end())
            verdict.exercises.push_back(gap(one));
    std::ranges::sort(verdict.exercises, {}, &verdict::Exercise::name);
    return verdict;
}

std::vector<const Attempt*> attempts_of(const GradedClass& graded, const std::string& student) {
    const std::vector<std::string> members = graded.policy.members(student);
    std::vector<const Attempt*> attempts;
    for (const Attempt& attempt : graded.attempts)
        if (std::ranges::find(members, attempt.student) != members.end()) attempts.push_back(&attempt);
    std::ranges::sort(attempts, {}, &Attempt::id);
    return attempts;
}

}  // namespace headway::classroom
