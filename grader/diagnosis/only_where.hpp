#pragma once

#include "diagnosis/search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// A mistake that is made for some sizes alone, such as a transpose that is forgotten where d = 1.
struct MistakeOnlyWhere {
    const Mistake* mistake;
    std::string condition;         ///< "T = S"
    int wrong;                     ///< of the observations, how many it explains
    MistakeSet alternatives = {};  ///< which no question tells from it, under that condition
};

/// The first mistake of the candidates, under the simplest condition, that every observation agrees with: where the
/// condition holds with the mistake, elsewhere with what is right. Asks more where several do. Nothing if there is
/// none, or if too little is wrong to tell.
std::optional<MistakeOnlyWhere> mistake_only_where(const std::vector<Observation>& observations,
                                                   const std::vector<const Mistake*>& candidates,
                                                   const Function& function, judge::Student& student, Random& random);

}  // namespace headway::diagnosis
