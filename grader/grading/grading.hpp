#pragma once

#include "grading/course.hpp"

#include "submission/submission.hpp"
#include "verdict/verdict.hpp"
#include "verdict/withhold.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace headway::cli {

/// The seed of a student's own gradings: fixed, so that the same program gets the same verdict.
inline constexpr std::uint64_t default_seed = 20170612;

struct GradingOptions {
    std::filesystem::path submission;  ///< holds the exercise folders
    std::filesystem::path shown_as;    ///< what messages call it; empty: its path
    std::vector<const ExerciseInfo*> exercises;
    std::uint64_t seed = 1;
    bool tell_seed = true;   ///< in the verdict: who knows it knows every hidden input
    bool reuse = true;       ///< take results of an identical earlier run
    bool diagnose = true;    ///< say why, where tests fail
    bool know_stubs = true;  ///< of what nobody has begun: `verify` alone compiles and judges it
    bool sanitized = true;   ///< also in the sanitized build, if the exercise has one; `verify --quick` does without
    verdict::Tell tell = verdict::Tell::full;
    /// How many builds run at once; 0: one per processor.
    std::ptrdiff_t processors = 0;
    /// Called when an exercise is at a new step: "03 compiling"; from several threads, one at a time.
    std::function<void(const std::string&)> progress = {};
};

/// Compiles, links and judges, both builds of all exercises on all processors.
verdict::Verdict grade(const Course& course, const GradingOptions& options);

/// The state of an exercise, from its tests.
verdict::State state_of(const std::vector<verdict::Test>& tests);

/// What a result depends on: the sources, the suite, the toolchain and the seed.
std::string digest_of(const Course& course, const build::Submission& submission, const ExerciseInfo& info,
                      std::uint64_t seed);

/// Where the programs and results of one exercise of one submission are kept.
std::filesystem::path work_folder(const Course& course, const std::filesystem::path& submission,
                                  const std::string& exercise);

}  // namespace headway::cli
