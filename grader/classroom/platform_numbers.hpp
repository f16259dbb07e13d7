#pragma once

#include "classroom/roster.hpp"
#include "gradebook/gradebook.hpp"

#include <map>
#include <string>
#include <vector>

/// The numbers by which a platform knows people: what it says in its own list of the class, or in the names that it
/// gave to hand-ins. Any other number that is somebody's id, such as one of another platform or of the university, may
/// be somebody else's there.
namespace headway::classroom {

using Numbers = std::map<std::string, std::string>;  // by student

/// Moodle's participants, of those whose number is known.
Numbers moodle_participants(const Roster& roster, const std::vector<gradebook::Attempt>& attempts);

/// Canvas's users.
Numbers canvas_users(const Roster& roster, const std::vector<gradebook::Attempt>& attempts);

/// Digits only.
bool is_number(const std::string& id);

}  // namespace headway::classroom
