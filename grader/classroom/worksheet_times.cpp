#include "classroom/worksheet_times.hpp"

#include "intake/hand_in.hpp"
#include "intake/moodle_time.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

namespace headway::classroom {

std::map<std::string, std::string> times_in(const Roster& worksheet, const std::string& zone, const std::string& file) {
    std::map<std::string, std::string> times;
    for (const Enrolled& one : worksheet.people()) {
        if (one.handed_in.empty() || one.handed_in == "-") continue;
        const auto time = intake::moodle_time(one.handed_in, zone);
        if (!time)
            throw RosterError(fmt::format(
                "{}, line {}: '{}' is no time of Moodle's in English, German, French or Spanish that a clock in {} "
                "shows",
                file, one.line, verdict::showable(one.handed_in.substr(0, 80)), zone));
        intake::require_past(*time, fmt::format("{}, line {}", file, one.line));
        times[one.id] = *time;
    }
    return times;
}

}  // namespace headway::classroom
