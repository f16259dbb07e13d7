#include "cli/commands.hpp"
#include "grading/exercise_folder.hpp"
#include "grading/grading.hpp"
#include "grading/progress.hpp"
#include "grading/results.hpp"
#include "terminal/console.hpp"

#include "submission/digest.hpp"
#include "terminal/page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

fs::path backups_of(const Course& course, const ExerciseInfo& info) { return course.root / "backups" / info.name; }

/// backups/03_scaled_scores/2026-11-21_12-15-36, made anew: two in one second get two folders.
fs::path new_backup_folder(const Course& course, const ExerciseInfo& info) {
    const fs::path all = backups_of(course, info);
    const std::string now = fmt::format("{:%Y-%m-%d_%H-%M-%S}", fmt::localtime(std::time(nullptr)));
    fs::create_directories(all);
    fs::path folder = all / now;
    for (int i = 2; !fs::create_directory(folder); ++i) folder = all / fmt::format("{}_{}", now, i);
    return folder;
}

/// First everything is kept, then the stub is put in place: whenever it is interrupted, nothing is lost.
fs::path move_away(const Course& course, const ExerciseInfo& info, const ExerciseFolder& place) {
    fs::path backup = new_backup_folder(course, info);
    for (const fs::path& file : place.own_files()) {
        fs::create_directories((backup / file).parent_path());
        fs::rename(place.folder() / file, backup / file);
    }
    return backup;
}

/// The newest; empty if there is none.
fs::path last_backup(const Course& course, const ExerciseInfo& info) {
    fs::path last;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(backups_of(course, info), missing))
        last = std::max(last, entry.path());
    return last;
}

/// The tick of what lies in a backup now would promise what is not there.
void forget_progress(const Course& course, const ExerciseInfo& info) {
    try {
        record_reset(course, info.name);
    } catch (const std::exception& error) {
        fmt::print(stderr, "headway: {}\n", error.what());
    }
}

/// If the last grading was of what is back now, it stands again.
void remember_progress(const Course& course, const ExerciseInfo& info) {
    try {
        const auto result = current_result(course, course.root / "exercises", info, default_seed);
        if (!result) return;
        verdict::Verdict verdict;
        verdict.started = verdict::now();
        verdict.exercises = {*result};
        record_progress(course, verdict);
    } catch (const std::exception& error) {
        fmt::print(stderr, "headway: {}\n", error.what());
    }
}

std::string named(const ExerciseInfo& info) { return fmt::format("{} {}", info.number, info.title); }

}  // namespace

int run_reset(const Course& course, const std::string& exercise) {
    const ExerciseInfo& info = course.find(exercise);
    const ExerciseFolder place(course, info);
    report::Page page(terminal_style());
    if (place.is_untouched()) {
        page.paragraphs({}, fmt::format("{}: nothing to reset, it is the stub already.", named(info)));
        fmt::print("{}", page.take());
        return all_passed;
    }
    const bool keeps_something = !place.own_files().empty();
    const fs::path backup = keeps_something ? move_away(course, info, place).lexically_relative(course.root) : "";
    fs::create_directories(place.folder());
    for (const fs::path& file : place.stub_files())
        build::write_file(place.folder() / file, build::read_file(place.stubs() / file));
    forget_progress(course, info);

    page.paragraphs({}, fmt::format("{}: the stub is back.", named(info)));
    if (keeps_something) {
        page.paragraph({.hanging = 2}, {{"What you had is in "}, {backup.string(), report::Tone::strong}});
        page.paragraph({.hanging = 2}, {{fmt::format("To have it again: ./headway reset {} --undo", info.number)}});
    }
    page.line(0, {{fmt::format("next: ./headway lesson {}", info.number)}});
    fmt::print("{}", page.take());
    return all_passed;
}

int run_undo_reset(const Course& course, const std::string& exercise) {
    const ExerciseInfo& info = course.find(exercise);
    const ExerciseFolder place(course, info);
    const fs::path backup = last_backup(course, info);
    if (backup.empty())
        throw UsageError(fmt::format("there is nothing of {} in {}", named(info), backups_of(course, info).string()));
    report::Page page(terminal_style());
    const std::string from = backup.lexically_relative(course.root).string();
    // What was written since the reset goes where the rest went; a stub need not be kept.
    std::string kept;
    if (!place.is_untouched() && !place.own_files().empty())
        kept = move_away(course, info, place).lexically_relative(course.root).string();
    fs::create_directories(place.folder());
    fs::copy(backup, place.folder(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    remember_progress(course, info);

    page.paragraphs({}, fmt::format("{}: what you had is back, as it is in {}.", named(info), from));
    if (!kept.empty())
        page.paragraph({.hanging = 2}, {{"What stood there until now is in "}, {kept, report::Tone::strong}});
    page.line(0, {{fmt::format("next: ./headway grade {}", info.number)}});
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
