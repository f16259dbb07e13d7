#include "instructor/class_copies.hpp"

#include "cli/handed_in.hpp"
#include "terminal/exit_status.hpp"

#include "classroom/jplag.hpp"
#include "terminal/page.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace headway::cli {

classroom::Elsewhere read_elsewhere(const Course& course, const std::vector<std::string>& folders) {
    const std::vector<intake::Wanted> wanted = wanted_of(course);
    classroom::Elsewhere elsewhere;
    for (const std::string& folder : folders) {
        if (!std::filesystem::is_directory(folder))
            throw UsageError(
                fmt::format("cannot compare with {}: there is no such folder; --compare takes a folder of hand-ins as "
                            "class grade does",
                            folder));
        try {
            classroom::add_elsewhere(elsewhere, wanted, folder);
        } catch (const std::exception& error) {
            throw UsageError(fmt::format("cannot compare with {}: {}", folder, error.what()));
        }
    }
    if (!folders.empty()) fmt::print("Compared with {}.\n", report::counted(elsewhere.hand_ins, "hand-in"));
    for (const auto& [whose, problem] : elsewhere.unreadable)
        fmt::print(stderr, "headway: not compared with {}: {}\n", whose, problem);
    return elsewhere;
}

int export_jplag(const Course& course, const ClassArguments& arguments, const gradebook::Gradebook& gradebook,
                 const std::vector<gradebook::Mark>& marks) {
    const std::filesystem::path folder = std::filesystem::absolute(arguments.folder);
    classroom::JplagExport written;
    try {
        written = classroom::export_for_jplag(folder, course, gradebook, marks);
    } catch (const std::runtime_error& error) {
        throw UsageError(fmt::format("cannot export for JPlag: {}. Name a new folder.", error.what()));
    }
    for (const auto& [whose, problem] : written.unreadable)
        fmt::print(stderr, "headway: {} is not in {}: {}\n", whose, folder.string(), problem);
    if (written.commands.empty()) fmt::print("No exercise has two hand-ins to compare.\n");
    for (const std::string& command : written.commands) fmt::print("{}\n", command);
    return written.unreadable.empty() ? all_passed : machine_at_fault;
}

}  // namespace headway::cli
