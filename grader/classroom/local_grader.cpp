#include "classroom/local_grader.hpp"

#include "grading/grading.hpp"
#include "sandbox/policy.hpp"
#include "submission/digest.hpp"
#include "submission/scratch_folder.hpp"
#include "submission/written.hpp"

namespace headway::classroom {

namespace fs = std::filesystem;

Grader local_grader(const cli::Course& course, std::uint64_t seed, fs::path scratch) {
    return [&course, seed, scratch = std::move(scratch)](const build::Submission& submission, const Log& log) {
        const build::ScratchFolder folder(scratch);
        build::write_submission(submission, folder.path() / "submission" / submission.exercise);
        cli::Course here = course;
        here.state = folder.path() / "state";
        cli::GradingOptions options;
        options.submission = folder.path() / "submission";
        options.shown_as = "exercises";
        options.exercises = {&here.find(submission.exercise)};
        options.seed = seed;
        options.tell_seed = false;
        options.reuse = false;
        options.processors = 1;
        options.progress = log;
        const verdict::Verdict verdict = cli::grade(here, options);
        for (const auto& [protection, how] : verdict.protections) log(protection + ": " + how);
        return verdict.exercises.front();
    };
}

std::map<std::string, std::string> suites_of(const cli::Course& course, std::uint64_t seed) {
    std::map<std::string, std::string> suites;
    // Under other limits the same work may earn other points.
    const std::string limits = sandbox::read_policy(course.policy).text();
    for (const cli::ExerciseInfo& info : course.exercises) {
        const auto given = build::read_submission(course.folder(info), course.folder(info)).course_files;
        build::Digest digest;
        digest.add(verdict::schema_name).add(course.toolchain.digest(info.name)).add(std::to_string(seed)).add(limits);
        for (const build::SourceFile& file : given) digest.add(file.path.string()).add(file.text);
        suites[info.name] = digest.hex();
    }
    return suites;
}

}  // namespace headway::classroom
