#include "instructor/said_times.hpp"

#include "instructor/class_desk.hpp"
#include "terminal/exit_status.hpp"

#include "classroom/worksheet_times.hpp"
#include "intake/hand_in.hpp"
#include "intake/moodle_time.hpp"
#include "submission/digest.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace headway::cli {
namespace {

std::string text_of_times(const ClassArguments& arguments) {
    std::error_code none;
    // What is no ordinary file is refused by who reads it in full.
    if (!std::filesystem::is_regular_file(*arguments.times, none)) return "";
    return build::read_file(*arguments.times);
}

void require_zone(const ClassArguments& arguments) {
    if (arguments.zone.empty())
        throw UsageError(
            fmt::format("{} is Moodle's grading worksheet, which has times on the clock of the person who took it and "
                        "does not say which that is: --zone Europe/Berlin does, or --zone +02:00, or --zone UTC",
                        *arguments.times));
    if (!intake::is_zone(arguments.zone))
        throw UsageError(fmt::format("this machine knows no time zone {}; one is called Europe/Berlin, +02:00 or UTC",
                                     arguments.zone));
}

std::map<std::string, std::string> moodles_times(const ClassArguments& arguments, const std::set<std::string>& known) {
    require_zone(arguments);
    classroom::Roster worksheet = classroom::Roster::parse(text_of_times(arguments), *arguments.times);
    worksheet.go_by(known);
    std::map<std::string, std::string> times = classroom::times_in(worksheet, arguments.zone, *arguments.times);
    std::vector<std::string> strangers;
    for (const auto& [student, time] : times)
        if (!known.contains(student)) strangers.push_back(student);
    for (const std::string& student : strangers) times.erase(student);
    if (!strangers.empty())
        fmt::print(stderr, "headway: with a time in {}, and without a hand-in here: {}\n", *arguments.times,
                   named(strangers));
    return times;
}

}  // namespace

bool times_are_moodles(const ClassArguments& arguments) {
    return arguments.times && classroom::Roster::has_times(text_of_times(arguments));
}

std::map<std::string, std::string> said_times(const ClassArguments& arguments, const std::set<std::string>& known) try {
    if (times_are_moodles(arguments)) return moodles_times(arguments, known);
    if (!arguments.zone.empty())
        throw UsageError("--zone is for Moodle's grading worksheet; other times have an offset, or are UTC");
    return intake::read_times(*arguments.times);
} catch (const UsageError&) {
    throw;
} catch (const std::runtime_error& error) {
    throw UsageError(error.what());
}

}  // namespace headway::cli
