#pragma once

#include "diagnosis/search.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// What may be behind the wrong answers of a function.
struct Explanation {
    const Mistake* mistake;
    std::string words;  ///< told in place of the mistake's title, if there are any
    std::function<Answer(const Observation&)> predict;
};

/// By one mistake, on top of others that are known to be made.
Explanation explanation_by(const Mistake& mistake, const MistakeSet& known);

/// The condition of what is not made in every call, where it is not known what decides.
constexpr const char* in_some_calls = "some calls";
/// What is said in place of a condition where all other calls throw.
constexpr const char* where_it_answers = "it answers; elsewhere it throws";

/// An explanation that may be true for some calls alone, such as a transpose that is forgotten where d = 1.
struct OnlyWhere {
    const Mistake* mistake;
    std::string words;             ///< told in place of its title, if there are any
    std::string condition;         ///< "T = S"; empty: everywhere; or in_some_calls
    int wrong;                     ///< of the observations, and of what was asked besides, how many it explains
    int asked_besides;             ///< calls with other numbers
    MistakeSet alternatives = {};  ///< which no question tells from it, under that condition
    std::function<Answer(const Observation&)> predict = {};  ///< what comes of it, if that is so everywhere
};

/// The first of the candidates, under the simplest condition, that every observation agrees with: where the condition
/// holds with the explanation, elsewhere with what the known mistakes make of what is right. Asks more where several
/// do. Nothing if there is none, or if too little is wrong to tell.
/// @param known  mistakes that are made everywhere, such as those of functions that it calls; most often none
std::optional<OnlyWhere> true_only_where(const std::vector<Observation>& all,
                                         const std::vector<Explanation>& candidates, const MistakeSet& known,
                                         const Function& function, judge::Student& student, Random& random);

}  // namespace headway::diagnosis
