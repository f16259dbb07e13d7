#include "classroom/platform_numbers.hpp"

#include "intake/entry_name.hpp"

#include <algorithm>
#include <optional>

namespace headway::classroom {
namespace {

using NameIn = std::optional<intake::EntryName> (*)(const std::string&);

Numbers numbers(const Roster& roster, std::string Enrolled::*in_roster, const std::vector<gradebook::Attempt>& attempts,
                NameIn name_in) {
    Numbers numbers;
    for (const gradebook::Attempt& attempt : attempts) {
        const auto name = name_in(attempt.entry);
        // What an entry is called may be the student's choice; that it became their id was not.
        if (name && name->student == attempt.student && is_number(attempt.student))
            numbers[attempt.student] = attempt.student;
    }
    for (const Enrolled& one : roster.people())
        if (is_number(one.*in_roster)) numbers[one.id] = one.*in_roster;
    return numbers;
}

}  // namespace

Numbers moodle_participants(const Roster& roster, const std::vector<gradebook::Attempt>& attempts) {
    return numbers(roster, &Enrolled::participant, attempts, intake::moodle_name);
}

Numbers canvas_users(const Roster& roster, const std::vector<gradebook::Attempt>& attempts) {
    return numbers(roster, &Enrolled::canvas_user, attempts, intake::canvas_name);
}

bool is_number(const std::string& id) {
    return !id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace headway::classroom
