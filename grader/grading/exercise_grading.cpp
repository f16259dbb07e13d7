#include "grading/exercise_grading.hpp"

#include "grading/both_builds.hpp"
#include "grading/causes_of_crashes.hpp"
#include "grading/credit.hpp"
#include "grading/folder_lock.hpp"
#include "grading/handed_on.hpp"
#include "grading/held_processor.hpp"
#include "grading/judge.hpp"
#include "grading/read_sources.hpp"
#include "grading/results.hpp"
#include "grading/shared_helpers.hpp"
#include "grading/where_it_failed.hpp"

#include "build/idle_statements.hpp"
#include "build/unchecked.hpp"
#include "build/workspace.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <set>
#include <utility>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using build::Build;
using std::chrono::steady_clock;
using verdict::State;
using verdict::TestState;

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

/// What one build of one exercise gave.
struct BuildResult {
    verdict::Compilation build;
    std::vector<verdict::Test> tests;
    std::vector<std::string> own_library_functions;
    std::string problem;  ///< of the machine or the course
    bool has_run = false;
    double judge_seconds = 0;
};

/// Where no question of the diagnosis is answered wrongly: what the hidden tests found wrong has no name.
std::vector<verdict::FunctionDiagnosis> seen_by_tests_alone(const verdict::Exercise& exercise) {
    std::vector<verdict::FunctionDiagnosis> functions;
    for (const verdict::Test& test : exercise.tests) {
        if (test.state != TestState::failed || !test.failure || test.depends_on) continue;
        const std::string& name = test.failure->function;
        const bool is_known =
            std::any_of(functions.begin(), functions.end(), [&](const auto& one) { return one.function == name; });
        if (name.empty() || is_known) continue;
        verdict::FunctionDiagnosis& found = functions.emplace_back();
        found.function = name;
        found.state = verdict::FunctionState::unrecognised;
        found.stage = test.failure->stage;
    }
    return functions;
}

/// What all tests have in common that were not asked for want of time is said of the first.
void tell_once(std::vector<verdict::Test>& tests) {
    bool told = false;
    for (verdict::Test& test : tests)
        if (was_not_asked(test) && std::exchange(told, true)) test.failure->message.clear();
}

/// Of the whole submission: told once, with its first test.
void remark(verdict::Test& test, const std::vector<std::string>& sentences) {
    if (!test.remarks) test.remarks.emplace();
    test.remarks->insert(test.remarks->end(), sentences.begin(), sentences.end());
}

/// Grades one exercise of one submission.
class ExerciseGrading {
public:
    ExerciseGrading(const Course& course, const GradingOptions& options, const ExerciseInfo& info,
                    std::counting_semaphore<>& processors, std::mutex& progress_mutex)
        : course_(course),
          options_(options),
          info_(info),
          judge_(course, info, options.seed),
          processors_(processors),
          progress_mutex_(progress_mutex) {}

    verdict::Exercise run() {
        const auto begin = steady_clock::now();
        verdict::Exercise exercise;
        exercise.number = info_.number;
        exercise.name = info_.name;
        exercise.title = info_.title;
        try {
            grade(exercise);
        } catch (const build::BadSubmission& error) {
            exercise.state = State::failed;
            exercise.build.problem = verdict::BuildProblem::no_source;
            exercise.build.message = error.what();
        } catch (const std::exception& error) {
            exercise.state = State::unavailable;
            exercise.problem = error.what();
        }
        exercise.seconds = seconds_since(begin);
        return exercise;
    }

private:
    void grade(verdict::Exercise& exercise) {
        auto submission = build::read_submission(options_.submission / info_.name, course_.folder(info_));
        submission.folder = shown_folder();
        exercise.digest = digest_of(course_, submission, info_, options_.seed);
        if (!submission.has_source()) {
            exercise.state = State::failed;
            exercise.build.problem = verdict::BuildProblem::no_source;
            exercise.build.message = fmt::format("{} holds no .cpp file; ./headway reset {} brings the stub back.",
                                                 shown_folder().string(), info_.number);
            return;
        }
        std::vector<std::string> remarks;
        {  // Words of long sources take much memory: no more sources are read at once than there are processors.
            const HeldProcessor held(processors_);
            remarks = build::unchecked_places(submission.files);
            std::ranges::move(build::idle_statements(submission.files), std::back_inserter(remarks));
        }
        const fs::path folder = work_folder(course_, options_.submission, info_.name);
        const FolderLock lock(folder);
        if (options_.reuse && reuse(exercise)) return;
        if (options_.know_stubs && is_the_stub(submission)) {
            BuildResult nothing_ran;
            nothing_ran.tests = judge_.not_written();
            conclude(exercise, std::move(nothing_ran));
            keep(exercise, folder);
            return;
        }
        build::Workspace workspace(course_.toolchain, course_.machine().jail, std::move(submission), folder);
        bool is_whole = true;  // or something is left for the next grading
        const bool is_diagnosed = course_.toolchain.builds(info_.name, Build::sanitized);
        if (is_diagnosed && options_.sanitized) {
            auto beside = std::async(std::launch::async, [&] { return run_build(workspace, Build::sanitized); });
            const BuildResult plain = run_build(workspace, Build::plain);
            const BuildResult sanitized = beside.get();
            if (plain.has_run) stamp_jail(exercise, "tests, plain build");
            if (sanitized.has_run) stamp_jail(exercise, "tests, sanitized build");
            conclude(exercise, plain, sanitized);
        } else {
            BuildResult plain = run_build(workspace, Build::plain);
            if (plain.has_run) stamp_jail(exercise, "tests, plain build");
            conclude(exercise, std::move(plain));
        }
        if (is_diagnosed) {
            settle_places(exercise.tests, workspace.submission().files);
            if (some_test_failed(exercise)) is_whole = diagnose(exercise, workspace);
        }
        for (verdict::Test& test : exercise.tests)
            if (test.failure) test.failure->sentences.reset();
        settle_credit(exercise);
        settle_shared_helpers(exercise, workspace.submission().files);
        leave_causes_to_names(exercise);
        leave_out_sizes(exercise);
        tell_in_whose_lines(exercise, workspace.submission().files);
        tell_what_is_handed_on(exercise, asked_for(course_.folder(info_)), workspace.submission().files);
        {
            const HeldProcessor held(processors_);
            find_functions(exercise, workspace.submission().files);
        }
        stamp_jail(exercise, "compilation");
        if (!remarks.empty() && !exercise.tests.empty()) remark(exercise.tests.front(), remarks);
        std::error_code ignored;
        fs::remove(answered_calls(), ignored);
        if (exercise.state != State::unavailable && is_whole) keep(exercise, folder);
    }

    /// For `reuse`, the next time.
    static void keep(const verdict::Exercise& exercise, const fs::path& folder) {
        build::write_file(folder / "result.json", verdict::to_json(exercise).dump());
    }

    /// As it was handed out: what becomes of it is known (`verify` proves it), and costs no compiler.
    bool is_the_stub(const build::Submission& submission) const {
        const fs::path stub = course_.root / "stubs" / info_.name;
        return fs::is_directory(stub) &&
               submission.digest() == build::read_submission(stub, course_.folder(info_)).digest();
    }

    bool reuse(verdict::Exercise& exercise) const {
        auto earlier = last_result(course_, options_.submission, info_);
        if (!earlier || earlier->digest != exercise.digest) return false;
        exercise = std::move(*earlier);
        exercise.reused = true;
        return true;
    }

    /// Of what has run or is about to, however it ends. The same jail for every run: the one that course_.machine() has
    /// found to work.
    void stamp_jail(verdict::Exercise& exercise, const std::string& run) const {
        if (!exercise.jails) exercise.jails.emplace();
        (*exercise.jails)[run] = course_.machine().jail.name();
    }

    BuildResult run_build(build::Workspace& workspace, Build build) const {
        const HeldProcessor held(processors_);
        BuildResult result;
        try {
            report("compiling");
            build::Built built = workspace.build_worker(build);
            result.build = std::move(built.build);
            if (built.program) judge(result, workspace, build);
            if (built.program) result.own_library_functions = workspace.own_library_functions(build);
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        return result;
    }

    void judge(BuildResult& result, const build::Workspace& workspace, Build build) const {
        report("testing");
        const auto begin = steady_clock::now();
        const fs::path answers = build == Build::plain ? answered_calls() : fs::path();
        result.has_run = true;
        result.tests = judge_.test(workspace.worker(build), build, answers);
        result.judge_seconds = seconds_since(begin);
        find_lines(result.tests, workspace, build);
        if (!result.build.warnings) return;
        const ReadSources sources(workspace.submission().files);
        for (verdict::Test& test : result.tests)
            if (test.failure) tell_what_the_compiler_saw(*test.failure, *result.build.warnings, sources);
    }

    void conclude(verdict::Exercise& exercise, const BuildResult& plain, const BuildResult& sanitized) const {
        BuildResult both;
        std::ranges::set_union(plain.own_library_functions, sanitized.own_library_functions,
                               std::back_inserter(both.own_library_functions));
        const bool only_sanitized_failed = plain.build.problem == verdict::BuildProblem::none &&
                                           sanitized.build.problem != verdict::BuildProblem::none;
        both.build = only_sanitized_failed ? sanitized.build : plain.build;  // which holds the warnings
        both.build.compile_seconds = std::max(plain.build.compile_seconds, sanitized.build.compile_seconds);
        both.build.link_seconds = std::max(plain.build.link_seconds, sanitized.build.link_seconds);
        both.judge_seconds = plain.judge_seconds + sanitized.judge_seconds;
        both.problem = plain.problem.empty() ? sanitized.problem : plain.problem;
        const bool built = both.build.problem == verdict::BuildProblem::none;
        if (built && both.problem.empty() && plain.tests.size() != sanitized.tests.size())
            both.problem = "the two builds ran different tests";
        std::vector<std::string> unchecked;
        for (std::size_t i = 0; built && both.problem.empty() && i < plain.tests.size(); ++i)
            both.tests.push_back(merge(plain.tests[i], sanitized.tests[i]));
        if (!both.tests.empty()) unchecked = unchecked_for_time(plain.tests, sanitized.tests);
        conclude(exercise, std::move(both));
        if (!unchecked.empty() && !exercise.tests.empty()) remark(exercise.tests.front(), unchecked);
    }

    void conclude(verdict::Exercise& exercise, BuildResult result) const {
        exercise.build = std::move(result.build);
        exercise.judge_seconds = result.judge_seconds;
        exercise.problem = std::move(result.problem);
        if (exercise.build.problem != verdict::BuildProblem::none) {
            exercise.state = State::failed;
            return;
        }
        if (!exercise.problem.empty()) {
            exercise.state = State::unavailable;
            return;
        }
        exercise.tests = std::move(result.tests);
        tell_once(exercise.tests);
        exercise.max_points = 0;
        for (const verdict::Test& test : exercise.tests) {
            exercise.points += test.points;
            exercise.max_points += test.max_points;
        }
        exercise.state = state_of(exercise.tests);
        if (!result.own_library_functions.empty() && !exercise.tests.empty())
            remark(
                exercise.tests.front(),
                {fmt::format("your own {} took the library's place in the grader's part of this program, too: what it "
                             "says of arguments that change was not checked",
                             fmt::join(result.own_library_functions, ", "))});
        for (const verdict::Test& test : exercise.tests)
            if (test.state == TestState::unavailable && test.failure) exercise.problem = test.failure->message;
    }

    static bool some_test_failed(const verdict::Exercise& exercise) {
        return exercise.state != State::unavailable &&
               std::any_of(exercise.tests.begin(), exercise.tests.end(),
                           [](const verdict::Test& test) { return test.state == TestState::failed; });
    }

    /// Says why, if it can be said. A diagnosis that cannot be made costs nobody a grade.
    /// @return whether it could be made
    bool diagnose(verdict::Exercise& exercise, build::Workspace& workspace) const {
        if (!options_.diagnose) return true;
        report("looking for the mistake");
        const HeldProcessor held(processors_);
        stamp_jail(exercise, "diagnosis");
        try {
            exercise.diagnosis =
                judge_.diagnose({.plain = workspace.worker(Build::plain),
                                 .sanitized = options_.sanitized ? workspace.worker(Build::sanitized) : "",
                                 .answered_calls = answered_calls(),
                                 .hung = hung_functions(exercise),
                                 .told = told_in_words(exercise)});
            find_lines(*exercise.diagnosis, exercise.build.warnings.value_or(std::vector<verdict::CompilerMessage>{}),
                       workspace);
            if (exercise.diagnosis->functions.empty()) exercise.diagnosis->functions = seen_by_tests_alone(exercise);
        } catch (const std::exception& error) {
            exercise.diagnosis.reset();
            remark(exercise.tests.front(), {std::string("the mistake could not be looked for: ") + error.what()});
        }
        return exercise.diagnosis.has_value();
    }

    /// What the plain build answered, for the diagnosis.
    fs::path answered_calls() const { return work_folder(course_, options_.submission, info_.name) / "answered_calls"; }

    void report(const std::string& step) const {
        if (!options_.progress) return;
        const std::lock_guard lock(progress_mutex_);
        options_.progress(fmt::format("{} {}: {}", info_.number, info_.title, step));
    }

    /// The folder as the user knows it: relative where that is shorter.
    fs::path shown_folder() const {
        if (!options_.shown_as.empty()) return options_.shown_as / info_.name;
        const fs::path folder = options_.submission / info_.name;
        const fs::path relative = folder.lexically_relative(course_.root);
        return relative.empty() || *relative.begin() == ".." ? folder : relative;
    }

    const Course& course_;
    const GradingOptions& options_;
    const ExerciseInfo& info_;
    const Judge judge_;
    std::counting_semaphore<>& processors_;
    std::mutex& progress_mutex_;
};

}  // namespace

verdict::Exercise grade_exercise(const Course& course, const GradingOptions& options, const ExerciseInfo& info,
                                 std::counting_semaphore<>& processors, std::mutex& progress) {
    return ExerciseGrading(course, options, info, processors, progress).run();
}

}  // namespace headway::cli
