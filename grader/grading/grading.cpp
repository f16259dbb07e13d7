#include "grading/grading.hpp"

#include "grading/at_once.hpp"
#include "grading/exercise_grading.hpp"
#include "grading/folder_lock.hpp"
#include "grading/results.hpp"

#include "build/toolchain.hpp"
#include "submission/digest.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <semaphore>

namespace headway::cli {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using verdict::State;
using verdict::TestState;

namespace {

/// What else a verdict depends on: limits, and the protections that it is stamped with.
std::string circumstances(const Course& course) {
    std::string text = course.machine().jail.policy().text();
    for (const auto& [name, state] : course.machine().protections) text += "\n" + name + ": " + state;
    return text;
}

/// What earlier gradings may take up: the exercises of some thirty submissions with all their programs.
constexpr std::uintmax_t most_kept = std::uintmax_t{2} << 30U;

/// And what one exercise of one submission may: many times what an honest one needs, and for all exercises less than
/// the above.
constexpr std::uintmax_t most_kept_of_one = std::uintmax_t{128} << 20U;

}  // namespace

State state_of(const std::vector<verdict::Test>& tests) {
    const auto count = [&](TestState state) {
        return std::count_if(tests.begin(), tests.end(),
                             [&](const verdict::Test& test) { return test.state == state; });
    };
    const auto all = static_cast<std::ptrdiff_t>(tests.size());
    if (all == 0 || count(TestState::unavailable) > 0) return State::unavailable;
    if (count(TestState::passed) == all) return State::passed;
    if (count(TestState::not_implemented) == all) return State::not_started;
    return count(TestState::not_implemented) > 0 ? State::partial : State::failed;
}

std::string digest_of(const Course& course, const build::Submission& submission, const ExerciseInfo& info,
                      std::uint64_t seed) {
    return build::Digest()
        .add(verdict::schema_name)
        .add(submission.digest())
        .add(course.toolchain.digest(info.name))
        .add(build::identity("/proc/self/exe"))  // credit and lines are settled here, not by the judge
        .add(std::to_string(seed))
        .add(circumstances(course))
        .hex();
}

fs::path work_folder(const Course& course, const fs::path& submission, const std::string& exercise) {
    const std::string key = build::Digest().add(fs::weakly_canonical(submission).string()).hex().substr(0, 16);
    return course.state / "work" / key / exercise;
}

verdict::Verdict grade(const Course& course, const GradingOptions& options) {
    const auto begin = steady_clock::now();
    verdict::Verdict verdict;
    verdict.submission = options.submission.string();
    if (options.tell_seed) verdict.seed = options.seed;
    verdict.started = verdict::now();
    keep_within(course.state / "work", most_kept);
    verdict.toolchain = {{"compiler", course.toolchain.compiler_version}};
    verdict.protections = course.machine().protections;
    const auto available = static_cast<std::ptrdiff_t>(processors());
    std::counting_semaphore<> free_processors(options.processors > 0 ? options.processors : available);
    std::mutex progress_mutex;
    std::vector<std::future<verdict::Exercise>> running;
    for (const ExerciseInfo* info : options.exercises)
        running.push_back(std::async(std::launch::async, [&, info] {
            auto exercise = grade_exercise(course, options, *info, free_processors, progress_mutex);
            keep_small(work_folder(course, options.submission, info->name), most_kept_of_one);
            return exercise;
        }));
    build::Digest digest;
    for (auto& exercise : running) {
        verdict.exercises.push_back(exercise.get());
        digest.add(verdict.exercises.back().digest);
    }
    verdict.digest = digest.hex();
    verdict::withhold(verdict, options.tell);
    verdict.seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    return verdict;
}

}  // namespace headway::cli
