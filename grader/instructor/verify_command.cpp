#include "instructor/verify_command.hpp"

#include "cli/instructor_commands.hpp"

#include "terminal/console.hpp"
#include "terminal/exit_status.hpp"
#include "verify/asked.hpp"
#include "verify/proof.hpp"
#include "verify/proof_document.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// "ok", or how many of how many.
std::string score(std::size_t good, std::size_t all) { return fmt::format("{}/{}", good, all); }

std::size_t count(const std::vector<Specimen>& specimens, Kind kind, bool only_good) {
    return static_cast<std::size_t>(std::count_if(specimens.begin(), specimens.end(), [&](const Specimen& specimen) {
        return specimen.kind == kind && (!only_good || specimen.gap.empty());
    }));
}

void print_costs(const std::vector<Specimen>& specimens) {
    fmt::print("\nWhat each single mistake costs:\n\n");
    for (const Specimen& specimen : specimens) {
        if (specimen.kind != Kind::mutant) continue;
        fmt::print("  {} {:<42.42} {:>4}/10  {:.20}\n", specimen.exercise->number, specimen.name, specimen.cost(),
                   specimen.first_failed());
    }
}

/// Whether no name is expected of it.
bool is_outside(const Specimen& specimen) { return specimen.mutant.diagnosis.empty(); }

/// Entry x caught x named, and what becomes of mistakes that have no name.
void print_catalogue(const Proof& proof) {
    fmt::print("\n  {:<44} {:>7} {:>7} {:>7}\n", "mistake", "mutants", "caught", "named");
    EntryProof all;
    for (const EntryProof& entry : proof.catalogue) {
        fmt::print("  {:<44} {:>7} {:>7} {:>7}\n", entry.id, entry.mutants, entry.caught, entry.named);
        all.mutants += entry.mutants;
        all.caught += entry.caught;
        all.named += entry.named;
    }
    fmt::print("  {:<44} {:>7} {:>7} {:>7}\n", fmt::format("all {}", proof.catalogue.size()), all.mutants, all.caught,
               all.named);
    int outside = 0;
    int wrong_names = 0;
    int function_right = 0;
    int stage_right = 0;
    for (const ExerciseProof& exercise : proof.exercises) {
        // Where nothing has a name yet, nothing is left out of the catalogue on purpose.
        if (std::ranges::all_of(exercise.specimens, is_outside)) continue;
        for (const Specimen& specimen : exercise.specimens) {
            if (specimen.kind != Kind::mutant || !is_outside(specimen)) continue;
            ++outside;
            wrong_names += specimen.named().empty() ? 0 : 1;
            const auto& diagnosis = specimen.verdict.diagnosis;
            if (!diagnosis || diagnosis->functions.empty()) continue;
            const verdict::FunctionDiagnosis& first = diagnosis->functions.front();
            const std::vector<std::string>& wrong = specimen.mutant.functions;
            function_right += !wrong.empty() && first.function == wrong.front() ? 1 : 0;
            stage_right += first.stage == specimen.mutant.stage ? 1 : 0;
        }
    }
    fmt::print("\n{} mutants are not in the catalogue: {} wrong names, right function {}, right stage {}\n", outside,
               wrong_names, score(static_cast<std::size_t>(function_right), static_cast<std::size_t>(outside)),
               score(static_cast<std::size_t>(stage_right), static_cast<std::size_t>(outside)));
}

void print_table(const Course& course, const Proof& proof) {
    fmt::print("\n  {:<20} {:>6} {:>8} {:>6} {:>9} {:>8} {:>9} {:>5} {:>6}\n", "exercise", "stub", "solution", "points",
               "mutants", "distinct", "accepted", "hints", "lesson");
    for (const ExerciseProof& exercise : proof.exercises) {
        const auto& all = exercise.specimens;
        fmt::print("  {:<20.20} {:>6} {:>8} {:>6} {:>9} {:>8} {:>9} {:>5} {:>6}\n", exercise.info->name,
                   count(all, Kind::stub, true) == 1 ? "ok" : "GAP",
                   count(all, Kind::solution, true) == 1 ? "ok" : "GAP", exercise.points,
                   score(count(all, Kind::mutant, true), count(all, Kind::mutant, false)),
                   exercise.distinct ? std::to_string(*exercise.distinct) : "-",
                   score(count(all, Kind::accepted, true), count(all, Kind::accepted, false)),
                   exercise.info->hints.size(), fs::exists(course.root / exercise.info->lesson) ? "ok" : "GAP");
    }
}

int show(const Mutants& mutants, const std::string& name) try {
    const auto files = mutants.program(mutants.find(name));
    for (const auto& [path, text] : files) fmt::print("{}{}", files.size() > 1 ? "// " + path + "\n" : "", text);
    return all_passed;
} catch (const std::out_of_range& error) {
    throw UsageError(error.what());
}

Extent extent_of(const VerifyArguments& arguments) {
    return {.whole = !arguments.quick,
            .every = arguments.every,
            .first = arguments.first % arguments.every,
            .sanitized_every = arguments.sanitized_every};
}

/// What was not looked at, in brackets.
std::string left_out(const VerifyArguments& arguments) {
    std::vector<std::string> parts;
    if (arguments.quick) parts.emplace_back("--quick: no extended mutants, and none compared with another");
    if (arguments.every > 1)
        parts.push_back(
            fmt::format("of the mutants one in {}, share {}", arguments.every, arguments.first % arguments.every));
    if (arguments.sanitized_every > 1)
        parts.push_back(fmt::format("in both builds of the mutants that do not need the sanitizer one in {}",
                                    arguments.sanitized_every));
    return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, "; "));
}

/// DIR/NN_name/MUTANT/: mutant.toml and the program.
int expand(const Course& course, const std::vector<const ExerciseInfo*>& exercises, const VerifyArguments& arguments) {
    for (const ExerciseInfo* info : exercises) {
        const Mutants mutants(course.root, info->name);
        for (const Mutant* mutant : covered(mutants, extent_of(arguments)))
            mutants.write(*mutant, fs::path(arguments.expand) / info->name / mutant->name);
    }
    return all_passed;
}

/// All headers of the exercise, one after the other.
std::string headers_of(const Course& course, const ExerciseInfo& info) {
    std::string text;
    for (const auto& file : fs::directory_iterator(course.root / "exercises" / info.name))
        if (file.path().extension() == ".hpp") text += build::read_file(file.path()) + "\n";
    return text;
}

int print_asked(const Course& course, const std::vector<ExerciseProof>& exercises) {
    int status = all_passed;
    for (const ExerciseProof& exercise : exercises) {
        fmt::print("{}", asked_table(headers_of(course, *exercise.info), exercise));
        if (exercise.specimens.front().gap.empty()) continue;
        fmt::print("  The solution: {}\n", exercise.specimens.front().gap);
        status = some_did_not_pass;
    }
    return status;
}

}  // namespace

CLI::App* declare_verify(CLI::App& app, VerifyArguments& verify) {
    auto* command = app.add_subcommand("verify", verify_purpose);
    command->add_option("exercises", verify.exercises, "Numbers, such as 03 (default: all)")->type_name("NN");
    command->add_flag("--diagnosis", verify.diagnosis, "Print how each mistake of the catalogue is named");
    auto* quick = command->add_flag(
        "--quick", verify.quick,
        "Leave out the mutants that only prove one more entry of the catalogue; compare none with another");
    auto* every = command->add_option("--every", verify.every, "Of the mutants take each Nth; of what must pass, all");
    every->type_name("N")->check(CLI::PositiveNumber);
    command->add_option("--from", verify.first, "Which of these N shares, from 0; beyond N it begins anew (default: 0)")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber)
        ->needs(every);
    command
        ->add_option("--sanitized-every", verify.sanitized_every,
                     "Build in both builds, of the mutants that do not need the sanitizer, each Nth")
        ->type_name("N")
        ->check(CLI::PositiveNumber)
        ->excludes(quick);
    command->add_option("--proof", verify.proof, "Write PROOF.md: how each mistake of the catalogue is proven")
        ->type_name("FILE");
    auto* show = command->add_option("--show", verify.show, "Only print the whole program of a mutant");
    show->expected(2)->type_name("NN NAME");
    command->add_flag("--asked", verify.asked,
                      "Only say what the hidden tests ask in turn of each function: sizes in every relation, masks, "
                      "misfits");
    command->add_option("--expand", verify.expand, "Only write the mutants into a folder, each as a submission")
        ->type_name("DIR")
        ->excludes(show);
    command->add_option("--seed", verify.seed, "Seed of the hidden inputs")->type_name("N");
    return command;
}

int run_verify(const Course& course, const VerifyArguments& arguments) {
    std::vector<const ExerciseInfo*> exercises;
    for (const std::string& name : arguments.exercises) exercises.push_back(&course.find(name));
    if (exercises.empty())
        for (const ExerciseInfo& info : course.exercises) exercises.push_back(&info);

    if (!arguments.show.empty())
        return show(Mutants(course.root, course.find(arguments.show.front()).name), arguments.show.back());
    if (!arguments.expand.empty()) return expand(course, exercises, arguments);

    ProgressLine progress;
    const Told told{.step = [&](const std::string& step) { progress.show(step); },
                    .gap = [&](const std::string& gap) { progress.keep("gap: " + gap); }};
    if (arguments.asked) {
        const std::vector<ExerciseProof> solutions = examine_solutions(course, exercises, arguments.seed, told);
        progress.clear();
        return print_asked(course, solutions);
    }
    const Proof proof = prove(course, exercises, arguments.seed, extent_of(arguments), told);
    progress.clear();
    for (const ExerciseProof& exercise : proof.exercises) print_costs(exercise.specimens);
    if (arguments.diagnosis) print_catalogue(proof);
    print_table(course, proof);
    if (!arguments.proof.empty()) build::write_file(arguments.proof, proof_document(proof));
    if (proof.gaps.empty()) {
        fmt::print("\nNo gaps{}.\n", left_out(arguments));
        return all_passed;
    }
    fmt::print("\n{} gaps:\n", proof.gaps.size());
    for (const std::string& gap : proof.gaps) fmt::print("  - {}\n", gap);
    return some_did_not_pass;
}

}  // namespace headway::cli
