#pragma once

#include "diagnosis/search.hpp"

#include <map>
#include <optional>
#include <vector>

namespace headway::diagnosis {

/// Whether the set predicts every answer.
bool is_explained(const std::vector<Observation>& observations, const MistakeSet& set);

/// The set without the mistakes that make no difference here.
MistakeSet needed(MistakeSet set, const std::vector<Observation>& observations);

/// The mistakes of a set that are not among the known ones.
MistakeSet without(MistakeSet set, const MistakeSet& known);

/// The answers to small questions, and where all of these are right, the wrong ones that the hidden tests got.
std::vector<Observation> telling_answers(std::vector<Observation> small,
                                         const std::vector<Observation>& of_hidden_tests);

/// Whether these answers, which are right, would be others.
bool would_show(const Mistake& mistake, const std::vector<Observation>& right);

/// The same of answers that these mistakes explain, which are no reason for a choice of the same decision.
bool would_show_beside(const Mistake& mistake, const MistakeSet& known, const std::vector<Observation>& answers);

/// Whether the set makes some of these answers another where all else is right. What shows beside mistakes of earlier
/// functions alone is what somebody does with numbers that should not have come.
bool shows_alone(const MistakeSet& set, const std::vector<Observation>& observations);

/// Whether these are several, and all that is wrong are zeros, or no numbers: many a pair of mistakes gives 0, or
/// throws, whatever is asked.
bool are_several_for_zeros(const MistakeSet& set, const std::vector<Observation>& observations);

/// Those that answers of right functions do not speak against.
MistakeSet likely(MistakeSet candidates, const std::vector<Observation>& right_before);

/// Of each mistake, others that no answer tells from it.
using LeftOpen = std::map<const Mistake*, MistakeSet>;

/// What earlier functions leave open in the place of a mistake of the set, and these answers leave open too.
MistakeSet still_open(const LeftOpen& earlier, const MistakeSet& set, const std::vector<Observation>& observations);

/// What explains these answers of what earlier functions have: the known mistakes, or the same with another in the
/// place of one that these functions leave open. Nothing if none does.
std::optional<MistakeSet> explained_by_earlier(const MistakeSet& known, const LeftOpen& earlier,
                                               const std::vector<Observation>& observations);

/// Sets that no question tells apart, the likeliest first, without those that leave more open than others: what is
/// known from earlier functions comes before what these do not speak against, and that before the order of the
/// catalogue. Where what is known is enough, no set with less of it stays.
/// @param known  mistakes of earlier functions   @param right_before  answers of earlier functions that are right
/// @param wrong_before  answers of those that are not
void put_likeliest_first(std::vector<MistakeSet>& sets, const MistakeSet& known,
                         const std::vector<Observation>& observations, const std::vector<Observation>& right_before,
                         const std::vector<Observation>& wrong_before = {});

}  // namespace headway::diagnosis
