#pragma once

#include "diagnosis/choose.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// What is known of the functions before one, which it may call.
struct Earlier {
    MistakeSet known = {};                        ///< their mistakes
    LeftOpen open = {};                           ///< in the place of these
    bool some_unnamed = false;                    ///< one of them is wrong in a way that the model cannot make
    std::vector<Observation> right_answers = {};  ///< of those that are right
    std::vector<Observation> wrong_answers = {};  ///< of those that are not, right ones among them
    std::set<std::string> refusing = {};          ///< names of those that are not, and refuse as they should
};

/// What one function is wrong in; nothing if it is right, or not written.
/// @param exercise_number  "03"   @param calls  what the hidden tests asked, and were answered
/// @param earlier  gets its answers too
std::optional<verdict::FunctionDiagnosis> investigate(const std::string& exercise_number, const Function& function,
                                                      const Workers& workers, const std::vector<AnsweredCall>& calls,
                                                      Random random, const SearchLimits& limits, Earlier& earlier);

}  // namespace headway::diagnosis
