#pragma once

#include "classroom/roster.hpp"

#include <map>
#include <string>

namespace headway::classroom {

/// When the people of Moodle's grading worksheet handed in what is there now; who has handed in nothing is left out.
/// @param worksheet  by the ids that their hand-ins have, see Roster::go_by()
/// @param zone       whose clock it is, see intake::is_zone()
/// @throws std::runtime_error naming the line with what is no time, or has not come yet
std::map<std::string, std::string> times_in(const Roster& worksheet, const std::string& zone, const std::string& file);

}  // namespace headway::classroom
