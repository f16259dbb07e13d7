#pragma once

#include "diagnosis/search.hpp"

#include <string>
#include <vector>

namespace headway::diagnosis {

struct WhereWrong {
    std::string words;
    bool throws = false;      ///< in all that is wrong, where it should answer
    std::string advice = {};  ///< what to do, where the words tell that
};

/// For a function whose mistake has no name, what its wrong answers have in common and its right ones lack: "wrong in
/// all 12 questions where H > 1 and T > 1, right in all 30 others", or else the option that all of them have: "wrong
/// only where causal is set: in 9 of 20 such questions, and in none of the 25 others". Asks more than was asked
/// already, to see whether that is so. No words if nothing simple tells them apart, or if too few were wrong or right.
WhereWrong where_it_is_wrong(const std::vector<Observation>& observations, const Function& function,
                             judge::Student& student, Random& random);

/// Whether one of the questions of this name that have a mask and are answered wrong is answered wrong without it, too:
/// then the mask has no part in it.
bool is_wrong_without_mask(const std::vector<Observation>& observations, const std::string& name,
                           const Function& function, judge::Student& student);

/// Puts its words before the sentences, and leaves out those that only repeat them, or name another condition beside
/// one that parts all wrong answers from all right ones.
void say_first(const WhereWrong& where, std::vector<std::string>& sentences);

}  // namespace headway::diagnosis
