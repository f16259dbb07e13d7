#include "commands.hpp"
#include "console.hpp"
#include "room.hpp"

#include "../build/digest.hpp"
#include "../report/page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// backups/03_scaled_scores/2026-11-21_12-15-36, made anew: two in one second get two folders.
fs::path new_backup_folder(const Course& course, const ExerciseInfo& info) {
    const fs::path all = course.root / "backups" / info.name;
    const std::string now = fmt::format("{:%Y-%m-%d_%H-%M-%S}", fmt::localtime(std::time(nullptr)));
    fs::create_directories(all);
    fs::path folder = all / now;
    for (int i = 2; !fs::create_directory(folder); ++i) folder = all / fmt::format("{}_{}", now, i);
    return folder;
}

/// First everything is kept, then the stub is put in place: whenever it is interrupted, nothing is lost.
fs::path move_away(const Course& course, const ExerciseInfo& info, const Room& room) {
    const fs::path backup = new_backup_folder(course, info);
    for (const fs::path& file : room.own_files()) {
        fs::create_directories((backup / file).parent_path());
        fs::rename(room.folder() / file, backup / file);
    }
    return backup;
}

}  // namespace

int run_reset(const Course& course, const std::string& exercise) {
    const ExerciseInfo& info = course.find(exercise);
    const Room room(course, info);
    report::Page page(terminal_style());
    const std::string name = fmt::format("{} {}", info.number, info.title);
    if (room.is_untouched()) {
        page.paragraphs({}, fmt::format("{}: nothing to reset, it is the stub already.", name));
        fmt::print("{}", page.take());
        return all_passed;
    }
    const bool keeps_something = !room.own_files().empty();
    const fs::path backup = keeps_something ? move_away(course, info, room).lexically_relative(course.root) : "";
    fs::create_directories(room.folder());
    for (const fs::path& file : room.stub_files())
        build::write_file(room.folder() / file, build::read_file(room.stubs() / file));

    page.paragraphs({}, fmt::format("{}: the stub is back.", name));
    if (keeps_something) {
        page.paragraph({.hanging = 2}, {{"What you had is in "}, {backup.string(), report::Tone::strong}});
        page.paragraph({.hanging = 2},
                       {{fmt::format("To have it again: cp -r {}/. exercises/{}/", backup.string(), info.name)}});
    }
    page.line(0, {{fmt::format("next: ./headway lesson {}", info.number)}});
    fmt::print("{}", page.take());
    return all_passed;
}

}  // namespace headway::cli
