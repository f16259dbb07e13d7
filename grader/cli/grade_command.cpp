#include "cli/commands.hpp"
#include "cli/handed_in.hpp"
#include "cli/in_ci.hpp"
#include "gradebook/marking_policy.hpp"
#include "grading/coverage.hpp"
#include "grading/grading.hpp"
#include "grading/progress.hpp"
#include "grading/whose_code.hpp"
#include "terminal/console.hpp"

#include "report/github.hpp"
#include "report/gradescope.hpp"
#include "report/html.hpp"
#include "report/junit.hpp"
#include "report/terminal.hpp"
#include "sandbox/chance.hpp"
#include "submission/digest.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// The exercises that were asked for; without any, all that the submission holds. @param named  what it is called
std::vector<const ExerciseInfo*> chosen(const Course& course, const std::vector<std::string>& names,
                                        const fs::path& submission, const fs::path& named) {
    std::vector<const ExerciseInfo*> exercises;
    for (const std::string& name : names) {
        const ExerciseInfo& info = course.find(name);
        if (!fs::is_directory(submission / info.name))
            throw UsageError(fmt::format("{} has no folder {}", named.string(), info.name));
        if (std::find(exercises.begin(), exercises.end(), &info) == exercises.end()) exercises.push_back(&info);
    }
    if (!names.empty()) return exercises;
    for (const ExerciseInfo& info : course.exercises)
        if (fs::is_directory(submission / info.name)) exercises.push_back(&info);
    if (exercises.empty())
        throw UsageError(fmt::format("{} holds no exercise folder, such as {}; is it the right folder?", named.string(),
                                     course.exercises.front().name));
    return exercises;
}

void write_document(const std::string& file, const std::string& text) {
    if (file == "-") {
        fmt::print("{}", text);
        return;
    }
    try {
        build::write_file(file, text);
    } catch (const std::system_error& error) {
        // A disk that is full, or fails, is the machine's.
        const bool may_be_written_elsewhere =
            error.code() != std::errc::no_space_on_device && error.code() != std::errc::io_error;
        if (may_be_written_elsewhere) throw UsageError(error.what());
        throw;
    }
}

/// A record that cannot be kept costs nobody a grade.
void keep_progress(const Course& course, const verdict::Verdict& verdict) {
    try {
        record_progress(course, verdict);
    } catch (const std::exception& error) {
        fmt::print(stderr, "headway: {}\n", error.what());
    }
}

/// For who looks closely: it takes a build more. What cannot be measured is not told.
void add_coverage(const Course& course, const GradingOptions& options, verdict::Verdict& verdict) {
    for (verdict::Exercise& exercise : verdict.exercises) {
        if (exercise.tests.empty() || exercise.state == verdict::State::not_started) continue;
        try {
            measure_coverage(course, options, exercise);
        } catch (const std::exception&) {
            exercise.coverage.clear();
        }
    }
}

/// What a document can be made of.
struct Shown {
    const verdict::Verdict& verdict;
    const HandedIn& handed_in;
    const report::GradescopeOptions& gradescope;
};

/// A machine's failure is no score.
nlohmann::json results_json(const Shown& shown) {
    for (const verdict::Exercise& exercise : shown.verdict.exercises)
        if (exercise.state == verdict::State::unavailable) return report::gradescope_of_failure();
    return report::gradescope(shown.verdict, shown.gradescope);
}

/// A view of the verdict that is written where an option says; - is standard output.
struct Document {
    std::optional<std::string> GradeArguments::*file;
    std::string (*text)(const Shown&);
};

/// All of them: what has no row here is not written, and what has one never gets between the lines of the screen.
constexpr std::array documents{
    Document{&GradeArguments::json, [](const Shown& shown) { return verdict::to_json(shown.verdict).dump(2) + "\n"; }},
    Document{&GradeArguments::junit, [](const Shown& shown) { return report::junit(shown.verdict); }},
    Document{&GradeArguments::html, [](const Shown& shown) { return report::html(shown.verdict); }},
    Document{&GradeArguments::gradescope, [](const Shown& shown) { return results_json(shown).dump(2) + "\n"; }},
    Document{&GradeArguments::code_quality,
             [](const Shown& shown) { return code_quality(shown.verdict, shown.handed_in); }},
    Document{&GradeArguments::sarif, [](const Shown& shown) { return sarif(shown.verdict, shown.handed_in); }},
};

/// Whether standard output is for a document. @throws UsageError if it is for several
bool goes_to_standard_output(const GradeArguments& arguments) {
    const auto wanted =
        std::ranges::count_if(documents, [&](const Document& document) { return arguments.*document.file == "-"; });
    if (wanted > 1) throw UsageError("standard output (-) is for one document; give the others a file");
    return wanted == 1;
}

void write_documents(const GradeArguments& arguments, const Shown& shown) {
    for (const Document& document : documents)
        if (const auto& file = arguments.*document.file) write_document(*file, document.text(shown));
}

/// What a person reads, where a runner may read along.
void show(const std::string& text, bool to_github) {
    const char* actions = std::getenv("GITHUB_ACTIONS");
    to_github = to_github || (actions != nullptr && std::string_view(actions) == "true");
    fmt::print("{}", to_github ? report::github_without_commands(text, sandbox::random_name()) : text);
    std::fflush(stdout);
}

std::uint64_t seed_of(const GradeArguments& arguments) {
    if (!arguments.seed_file) return arguments.seed;
    std::uint64_t seed = 0;
    if (!(std::ifstream(*arguments.seed_file) >> seed))
        throw UsageError(fmt::format("{} holds no seed; write a number into it", *arguments.seed_file));
    return seed;
}

int exit_status(const verdict::Verdict& verdict) {
    int status = all_passed;
    for (const verdict::Exercise& exercise : verdict.exercises) {
        if (exercise.state == verdict::State::unavailable) return machine_at_fault;
        if (exercise.state != verdict::State::passed) status = some_did_not_pass;
    }
    return status;
}

/// What each exercise counts, by class.toml; the platform itself knows when something is late.
report::GradescopeOptions gradescope_options(const Course& course, const GradeArguments& arguments) {
    report::GradescopeOptions options;
    options.visibility = arguments.visible;
    if (arguments.class_toml.empty()) return options;
    std::vector<std::string> names;
    for (const ExerciseInfo& info : course.exercises) names.push_back(info.name);
    try {
        const auto policy = gradebook::MarkingPolicy::parse(build::read_file(arguments.class_toml), names);
        for (const auto& [name, marking] : policy.exercises) options.points[name] = marking.points;
    } catch (const std::runtime_error& error) {
        throw UsageError(error.what());
    }
    return options;
}

/// Where Gradescope asks, the reason is a result that it can show.
int tell_nothing_to_grade(const Course& course, const GradeArguments& arguments, const std::string& problem) {
    const std::string& first = course.exercises.front().name;
    const std::string advice = fmt::format(
        "Hand in what ./headway pack makes, exercise folders such as {}, or files such as {}.cpp, as they are or in a "
        ".zip or .tar.gz.",
        first, first.substr(first.find('_') + 1));
    if (!arguments.gradescope) throw UsageError(fmt::format("{} {}. {}", arguments.submission, problem, advice));
    const std::string told = fmt::format("There is nothing to grade: what was handed in {}. {}", problem, advice);
    write_document(*arguments.gradescope, report::gradescope_of_nothing(told).dump(2) + "\n");
    fmt::print(stderr, "headway: {}\n", verdict::showable(told));
    return some_did_not_pass;
}

}  // namespace

int run_grade(const Course& course, const GradeArguments& arguments) {
    const bool on_screen = !goes_to_standard_output(arguments);
    const fs::path named = arguments.submission.empty() ? course.root / "exercises"
                                                        : fs::absolute(arguments.submission).lexically_normal();
    std::optional<HandedIn> handed_in;
    try {
        handed_in.emplace(course, named);
    } catch (const intake::Malformed& error) {
        return tell_nothing_to_grade(course, arguments, error.what());
    }
    const report::GradescopeOptions gradescope = gradescope_options(course, arguments);
    GradingOptions options;
    options.submission = handed_in->folder();
    if (options.submission != named) options.shown_as = "exercises";
    options.exercises = chosen(course, arguments.exercises, options.submission, named);
    options.seed = seed_of(arguments);
    options.tell_seed = !arguments.seed_file;
    options.reuse = !arguments.again;
    options.tell = course.tell;
    see_to_the_jail(course, named, arguments.unsafe ? sandbox::Unsafe::yes : sandbox::Unsafe::no);
    ProgressLine progress;
    options.progress = [&progress](const std::string& step) { progress.show(step); };
    verdict::Verdict verdict = grade(course, options);
    progress.clear();
    if (arguments.submission.empty()) keep_progress(course, verdict);
    verdict.submission =
        arguments.submission.empty() ? seen_from_here(named) : arguments.submission;  // as it was typed

    if (on_screen) {
        report::TerminalStyle style = terminal_style();
        style.verbose = arguments.verbose;
        const bool is_own = arguments.submission.empty();
        show(report::render(verdict, style, is_own ? standing(course) : std::vector<verdict::Exercise>()),
             arguments.github);
    }
    if (arguments.html && course.tell <= verdict::Tell::diagnosis) add_coverage(course, options, verdict);
    write_documents(arguments, {verdict, *handed_in, gradescope});
    if (arguments.github) tell_github(verdict, *handed_in);
    return exit_status(verdict);
}

}  // namespace headway::cli
