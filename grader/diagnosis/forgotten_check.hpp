#pragma once

#include "diagnosis/search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// A check that is made for some of the arguments that do not fit, or for none.
struct CheckForgottenWhere {
    const Mistake* mistake;
    /// "axis 0 of attended is larger than axis 0 of x"; empty: it is made nowhere; or in_some_calls of only_where.hpp.
    std::string condition;
    int wrong;  ///< calls that should have been refused
};

/// Whether only what does not fit shows the mistake, and no answer to what fits depends on it.
bool is_forgotten_check(const Mistake* mistake);

/// Nothing unless all that is wrong is what should have been refused, and one check under one condition says which of
/// these calls were refused and which were not. Which axes have to fit is learned from the calls that do; a condition
/// is told if it holds, too, of calls that are asked besides, with one axis longer or shorter by 1.
std::optional<CheckForgottenWhere> check_forgotten_where(const std::vector<Observation>& observations,
                                                         const std::vector<const Mistake*>& candidates,
                                                         const Function& function, judge::Student& student);

/// Whether everything is right that should be answered, and answered what should not.
bool misses_refusals_alone(const std::vector<Observation>& observations);

/// Whether it refused all that it should as far as we saw, and some of that, and gave nothing of a wrong shape: however
/// wrong its numbers are, what calls it does not miss a refusal because of them. Not known of what is asked otherwise
/// than by a plain call, such as a cache: there a wrong number may be a length by which is refused.
bool refuses_rightly(const Function& function, const std::vector<Observation>& observations, judge::Student& student);

}  // namespace headway::diagnosis
