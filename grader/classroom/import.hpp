#pragma once

#include "gradebook/gradebook.hpp"
#include "intake/hand_in.hpp"

#include <functional>
#include <string>
#include <vector>

namespace headway::classroom {

struct Imported {
    std::size_t students = 0;
    std::size_t anew = 0;                                         ///< attempts that were not known
    std::size_t unchanged = 0;                                    ///< what their student had handed in before
    std::size_t timed = 0;                                        ///< of these, now it is known when
    std::vector<std::pair<std::string, std::string>> retimed;     ///< student, when; another time was said before
    std::vector<std::pair<std::string, std::string>> malformed;   ///< student, why
    std::vector<std::pair<std::string, std::string>> unreadable;  ///< student, what the machine says
};

/// Takes down who handed in what. @param wanted  the course's exercises @param stop  asked before each hand-in
Imported import_hand_ins(gradebook::Gradebook& gradebook, const std::vector<intake::Wanted>& wanted,
                         const std::vector<intake::HandIn>& hand_ins, const std::function<bool()>& stop);

}  // namespace headway::classroom
