#pragma once

#include "classroom/rings.hpp"
#include "intake/hand_in.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headway::classroom {

/// Programs that a class is compared with: last year's, or another group's.
struct Elsewhere {
    std::map<std::string, std::vector<Origin>> programs;          ///< by exercise
    std::size_t hand_ins = 0;                                     ///< how many could be read
    std::vector<std::pair<std::string, std::string>> unreadable;  ///< whose, why
};

/// Adds what is in a folder of hand-ins, which may be laid out in any way that `class grade` takes. Each is known by
/// the folder's name and its student's id.
/// @param wanted  the course's exercises
/// @throws std::runtime_error if the folder cannot be read
void add_elsewhere(Elsewhere& elsewhere, const std::vector<intake::Wanted>& wanted,
                   const std::filesystem::path& folder);

}  // namespace headway::classroom
