#include "verify/proof.hpp"

#include "grading/at_once.hpp"
#include "grading/exercise_folder.hpp"
#include "grading/grading.hpp"
#include "grading/judge.hpp"

#include "sandbox/process.hpp"
#include "submission/digest.hpp"
#include "submission/scratch_folder.hpp"
#include "verify/asked.hpp"
#include "verify/contradictions.hpp"
#include "verify/gaps.hpp"
#include "verify/unfinished.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <set>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;
using build::Build;
using verdict::State;

constexpr Draws once{1, 0};
constexpr Draws often{20, 2};

std::vector<fs::path> sorted_folders(const fs::path& parent) {
    std::vector<fs::path> folders;
    if (fs::is_directory(parent))
        for (const auto& entry : fs::directory_iterator(parent))
            if (entry.is_directory()) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

Specimen specimen_of(Kind kind, const ExerciseInfo& info, const fs::path& submission) {
    Specimen specimen;
    specimen.kind = kind;
    specimen.exercise = &info;
    specimen.name = submission.filename().string();
    specimen.submission = submission;
    return specimen;
}

std::vector<Specimen> collect(const Course& course, const ExerciseInfo& info, const Extent& extent) {
    std::vector<Specimen> specimens;
    const auto add = [&](Kind kind, const fs::path& submission) {
        specimens.push_back(specimen_of(kind, info, submission));
    };
    add(Kind::stub, course.root / "stubs");
    add(Kind::solution, course.root / "solutions");
    const Mutants mutants(course.root, info.name);
    const std::set<std::string> copies = mutants.near_copies();
    int met = 0;
    for (const Mutant* mutant : covered(mutants, extent)) {
        add(Kind::mutant, mutant->name);
        specimens.back().mutant = *mutant;
        specimens.back().is_near_copy = copies.contains(mutant->name);
        specimens.back().sanitized = mutant->needs_sanitizer || (extent.whole && met++ % extent.sanitized_every == 0);
    }
    for (const fs::path& folder : sorted_folders(course.root / "tests" / "accepted" / info.name)) {
        add(Kind::accepted, folder);
        specimens.back().sanitized = extent.whole;
    }
    if (extent.whole)
        for (Specimen& specimen : specimens)
            if (specimen.kind == Kind::solution || specimen.kind == Kind::accepted) specimen.draws = once;
    return specimens;
}

fs::path worker_of(const Course& course, const Specimen& specimen, Build build) {
    return work_folder(course, specimen.submission, specimen.exercise->name) / build::to_string(build) / "worker";
}

std::vector<Answered> ask(const Course& course, const Specimen& specimen, Build build, int count, std::uint64_t seed) {
    return Judge(course, *specimen.exercise, seed).probe(worker_of(course, specimen, build), build, count);
}

/// What the questions of the diagnosis show of it.
std::vector<Answered> answers_of(const Course& course, const Specimen& specimen, std::uint64_t seed) {
    if (specimen.verdict.build.problem != verdict::BuildProblem::none) return {};
    std::vector<Answered> answers = ask(course, specimen, Build::plain, specimen.draws.plain, seed);
    if (specimen.draws.sanitized > 0 && specimen.sanitized &&
        course.toolchain.builds(specimen.exercise->name, Build::sanitized))
        std::ranges::move(ask(course, specimen, Build::sanitized, specimen.draws.sanitized, seed),
                          std::back_inserter(answers));
    return answers;
}

/// What the hidden tests ask it in turn; whether they compare so loosely that it shows nothing, and leave out what the
/// visible test asks.
void look_at_the_tests(const Course& course, Specimen& specimen, std::uint64_t seed) {
    const HowAsked asked = Judge(course, *specimen.exercise, seed).how_asked(worker_of(course, specimen, Build::plain));
    specimen.sweeps = asked.sweeps;
    std::vector<std::string> gaps = asked.blind_tests;
    std::ranges::move(visible_tests_left_out(course, specimen.exercise->name, asked.visible_tests),
                      std::back_inserter(gaps));
    specimen.gap = fmt::format("{}", fmt::join(gaps, "; "));
}

void examine(const Course& whole, Specimen& specimen, std::uint64_t seed) {
    GradingOptions options;
    options.exercises = {specimen.exercise};
    options.seed = seed;
    options.processors = 1;
    options.sanitized = specimen.sanitized;
    options.know_stubs = false;
    specimen.is_diagnosed = whole.toolchain.builds(specimen.exercise->name, Build::sanitized);
    try {
        // What is built of hundreds of submissions is not kept.
        const build::ScratchFolder scratch(whole.state / "verify");
        Course course = whole;
        course.state = scratch.path();
        if (specimen.kind == Kind::mutant) {
            specimen.submission = scratch.path() / "submission" / specimen.name;
            Mutants(course.root, specimen.exercise->name).write(specimen.mutant, specimen.submission);
        }
        options.submission = specimen.submission;
        specimen.verdict = grade(course, options).exercises.front();
        specimen.shown = specimen.draws.plain > 0 ? shown_by(specimen.verdict, answers_of(course, specimen, seed))
                                                  : shown_unasked(specimen.verdict);
        specimen.gap = gap_of(specimen);
        if (specimen.kind == Kind::solution && specimen.gap.empty()) look_at_the_tests(course, specimen, seed);
    } catch (const std::exception& error) {
        specimen.gap = error.what();
    }
}

/// As many at once as there are processors: each is compiled, judged and asked in a row.
void examine_all(const Course& course, const std::vector<Specimen*>& specimens, std::uint64_t seed, const Told& told) {
    std::atomic<std::size_t> next = 0;
    std::size_t done = 0;
    std::mutex mutex;
    const auto work = [&] {
        for (std::size_t i = next++; i < specimens.size(); i = next++) {
            examine(course, *specimens[i], seed);
            const std::lock_guard lock(mutex);
            const std::string name = fmt::format("{} {}", specimens[i]->exercise->number, specimens[i]->name);
            if (!specimens[i]->gap.empty()) told.gap(name + ": " + specimens[i]->gap);
            told.step(fmt::format("{} of {} submissions: {}", ++done, specimens.size(), name));
        }
    };
    at_once(processors() + 1, work);  // each waits for its sandboxes now and then
}

bool is_graded_mutant(const Specimen& specimen) {
    return specimen.kind == Kind::mutant && !specimen.shown.outcome.empty();
}

/// Mutants that show so far just what another one of their exercise does.
std::vector<Specimen*> not_told_apart(std::vector<ExerciseProof>& exercises) {
    std::vector<Specimen*> found;
    for (ExerciseProof& exercise : exercises)
        for (Specimen& one : exercise.specimens)
            if (is_graded_mutant(one) && std::ranges::any_of(exercise.specimens, [&](const Specimen& other) {
                    return &other != &one && is_graded_mutant(other) && alike(one.shown, other.shown);
                }))
                found.push_back(&one);
    return found;
}

std::size_t count_distinct(const std::vector<Specimen>& specimens, std::vector<std::string>& gaps) {
    std::size_t distinct = 0;
    for (auto one = specimens.begin(); one != specimens.end(); ++one) {
        if (!is_graded_mutant(*one)) continue;
        const auto twin = std::find_if(specimens.begin(), one, [&](const Specimen& other) {
            return is_graded_mutant(other) && alike(one->shown, other.shown);
        });
        if (twin == one)
            ++distinct;
        else
            gaps.push_back(fmt::format("{} {}: nothing that is asked tells it from {}: the diagnosis lacks a question",
                                       one->exercise->number, one->name, twin->name));
    }
    return distinct;
}

/// All solutions in one translation unit: the exercises' namespaces must keep them apart.
std::string one_translation_unit(const Course& course) {
    std::string text;
    sandbox::Command command;
    command.arguments = {course.toolchain.compiler,
                         "-std=c++20",
                         "-fsyntax-only",
                         "-Wall",
                         "-Wextra",
                         "-I" + course.toolchain.include,
                         "-isystem",
                         course.toolchain.system_include};
    for (const ExerciseInfo& info : course.exercises) {
        command.arguments.push_back("-I" + course.folder(info).string());
        for (const auto& entry : fs::directory_iterator(course.root / "solutions" / info.name))
            if (entry.path().extension() == ".cpp") text += "#include \"" + entry.path().string() + "\"\n";
    }
    fs::create_directories(course.state);
    const fs::path file = course.state / "all_solutions.cpp";
    build::write_file(file, text);
    command.arguments.push_back(file.string());
    command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
    const auto finished = sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::solutions_compiler),
                                       std::chrono::seconds(120), 4096);
    return finished.ended.success() ? "" : "the solutions do not compile in one translation unit: " + finished.output;
}

/// Every mistake that has a name, with the mutants that make it.
std::vector<EntryProof> prove_catalogue(const Course& course, const std::vector<ExerciseProof>& exercises) {
    std::vector<EntryProof> entries;
    for (const std::string& id : named_mistakes(course)) {
        EntryProof entry;
        entry.id = id;
        for (const ExerciseProof& exercise : exercises)
            for (const Specimen& specimen : exercise.specimens) {
                const auto& expected = specimen.mutant.diagnosis;
                if (std::find(expected.begin(), expected.end(), entry.id) == expected.end()) continue;
                ++entry.mutants;
                entry.whole += specimen.mutant.is_whole() && !specimen.is_near_copy ? 1 : 0;
                entry.caught += specimen.verdict.state == State::failed ? 1 : 0;
                entry.named += specimen.named_as_expected() ? 1 : 0;
            }
        entries.push_back(entry);
    }
    return entries;
}

void add_gaps(const Course& course, const ExerciseProof& exercise, std::vector<std::string>& gaps) {
    const ExerciseInfo& info = *exercise.info;
    const auto has = [&](Kind kind) {
        return std::ranges::find(exercise.specimens, kind, &Specimen::kind) != exercise.specimens.end();
    };
    for (const fs::path& file : unfinished_files(course.root, info))
        gaps.push_back(fmt::format("{}: {} still says {}", info.number, file.string(), to_be_filled_in));
    if (!has(Kind::mutant))
        gaps.push_back(fmt::format(
            "{0}: no mutant yet, so nothing shows what the hidden tests catch: ./headway new mutant {0} NAME",
            info.number));
    if (!has(Kind::accepted))
        gaps.push_back(
            fmt::format("{}: no accepted variant yet: put a right program in another style into tests/accepted/{}",
                        info.number, info.name));
    for (const Specimen& specimen : exercise.specimens)
        if (!specimen.gap.empty()) gaps.push_back(fmt::format("{} {}: {}", info.number, specimen.name, specimen.gap));
    if (exercise.points != 10)
        gaps.push_back(fmt::format("{}: the points add up to {}, not 10", info.number, exercise.points));
    if (info.hints.size() != 3 ||
        std::any_of(info.hints.begin(), info.hints.end(), [](const auto& hint) { return hint.empty(); }))
        gaps.push_back(fmt::format("{}: there must be three hints", info.number));
    if (!ExerciseFolder(course, info).is_untouched())
        gaps.push_back(
            fmt::format("{}: exercises/{} is not what stubs/{} brings back", info.number, info.name, info.name));
    std::ranges::move(unknown_statements(course, info), std::back_inserter(gaps));
    if (info.lesson.empty() || !fs::exists(course.root / info.lesson))
        gaps.push_back(fmt::format("{}: there is no lesson {}", info.number, info.lesson));
}

}  // namespace

std::vector<std::string> Specimen::named() const {
    std::vector<std::string> ids;
    if (!verdict.diagnosis) return ids;
    const auto is_expected = [&](const std::string& id) {
        return std::ranges::find(mutant.diagnosis, id) != mutant.diagnosis.end();
    };
    for (const verdict::NamedMistake& mistake : verdict.diagnosis->mistakes) {
        std::string id = mistake.id;
        // Two names that no answer tells apart are one.
        for (const verdict::FunctionDiagnosis& one : verdict.diagnosis->functions)
            if (const auto other = std::find_if(one.alternatives.begin(), one.alternatives.end(), is_expected);
                !is_expected(id) && one.mistakes.size() == 1 && one.mistakes.front() == id &&
                other != one.alternatives.end())
                id = *other;
        ids.push_back(id);
    }
    return ids;
}

bool Specimen::named_as_expected() const {
    if (!verdict.diagnosis) return !is_diagnosed && mutant.diagnosis.empty();
    std::vector<std::string> given = named();
    std::vector<std::string> expected = mutant.diagnosis;
    std::sort(given.begin(), given.end());
    std::sort(expected.begin(), expected.end());
    return given == expected && explains_all() == mutant.explains_all();
}

std::string Specimen::first_failed() const {
    for (const verdict::Test& test : verdict.tests)
        if (test.state != verdict::TestState::passed) return test.name;
    return to_string(verdict.build.problem);
}

std::vector<const Mutant*> covered(const Mutants& mutants, const Extent& extent) {
    std::vector<const Mutant*> found;
    int met = 0;
    for (const Mutant& mutant : mutants.all())
        if ((extent.whole || !mutant.extended) && met++ % extent.every == extent.first) found.push_back(&mutant);
    return found;
}

Proof prove(const Course& course, const std::vector<const ExerciseInfo*>& exercises, std::uint64_t seed,
            const Extent& extent, const Told& told) {
    Proof proof;
    for (const ExerciseInfo* info : exercises)
        proof.exercises.push_back(
            {info, Judge(course, *info, 0).max_points(), std::nullopt, collect(course, *info, extent)});
    std::vector<Specimen*> all;
    for (ExerciseProof& exercise : proof.exercises)
        for (Specimen& specimen : exercise.specimens) all.push_back(&specimen);
    examine_all(course, all, seed, told);
    // Most mutants are told apart by what they fail. Only the others are asked, and asked more if that does not do.
    if (extent.whole)
        for (const Draws& draws : {once, often}) {
            const std::vector<Specimen*> twins = not_told_apart(proof.exercises);
            for (Specimen* specimen : twins) specimen->draws = draws;
            examine_all(course, twins, seed, told);
        }
    for (ExerciseProof& exercise : proof.exercises) {
        if (extent.whole) exercise.distinct = count_distinct(exercise.specimens, proof.gaps);
        add_gaps(course, exercise, proof.gaps);
    }
    proof.catalogue = prove_catalogue(course, proof.exercises);
    if (const std::string problem = one_translation_unit(course); !problem.empty()) proof.gaps.push_back(problem);
    return proof;
}

std::vector<ExerciseProof> examine_solutions(const Course& course, const std::vector<const ExerciseInfo*>& exercises,
                                             std::uint64_t seed, const Told& told) {
    std::vector<ExerciseProof> found;
    for (const ExerciseInfo* info : exercises)
        found.push_back({info, 0, std::nullopt, {specimen_of(Kind::solution, *info, course.root / "solutions")}});
    std::vector<Specimen*> all;
    for (ExerciseProof& exercise : found) all.push_back(&exercise.specimens.front());
    examine_all(course, all, seed, told);
    return found;
}

}  // namespace headway::cli
