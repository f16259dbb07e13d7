#pragma once

#include "diagnosis/catalogue.hpp"
#include "diagnosis/subject.hpp"

#include "student/time_budget.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headway::diagnosis {

/// A question, what came back, and what the model makes of it.
struct Observation {
    judge::Arguments arguments;
    Answer seen;
    Predict predict;
    std::string name = {};  ///< of the question, if it has one
};

using MistakeSet = std::vector<const Mistake*>;

/// The right choices with these mistakes made.
Choices with(const MistakeSet& set);

/// What the model answers; impossible where shapes do not fit under these choices.
Answer predicted(const Observation& observation, const Choices& choices);

/// What all predictions together may take, with the questions; null: any time. Once it is spent, predicted() throws
/// judge::OutOfTime.
const judge::TimeBudget*& time_for_predictions();

struct SearchLimits {
    std::size_t most_mistakes = 3;
    std::chrono::milliseconds budget{2000};  ///< of processor time
};

/// All smallest sets of mistakes that reproduce every observation; empty if there is none within the limits.
///
/// Grows sets one mistake at a time: where a set fails to explain an observation, the next mistake must be one that
/// changes what the model answers there. Observations that few mistakes change are looked at first.
/// @param known  mistakes of functions that are called: three and more are looked for beside these first
std::vector<MistakeSet> explanations(const std::vector<Observation>& observations,
                                     const std::vector<const Mistake*>& candidates, const MistakeSet& known,
                                     const SearchLimits& limits);

/// How well a set explains: how many observations, and how many of them say anything.
struct Evidence {
    int inputs = 0;
    int wrong = 0;                ///< that a right program would have answered otherwise
    int telling = 0;              ///< where a right program would have answered differently, in finite numbers or words
    int left_open = 0;            ///< wrong answers for which the set allows anything
    int right_left_open = 0;      ///< the same of right ones
    int impossible = 0;           ///< wrong ones for which it only says that nothing is computed, or of another throw
    int telling_values = 0;       ///< of the telling ones, those that were seen to have a value
    double closeness = 0;         ///< the largest difference, in tolerances
    std::size_t compared = 0;     ///< numbers
    std::size_t unpredicted = 0;  ///< numbers that were seen and not predicted
    std::size_t not_finite = 0;   ///< numbers that are not finite in both: that says little
    std::map<std::string, bool> told;  ///< by the name of a part that is wrong: whether the set predicts it anywhere
    /// Answers that it does not predict.
    int open() const { return left_open + right_left_open; }
    /// A set that leaves much open explains nothing.
    bool is_telling() const {
        // What never gives a value may only hand on what a function that it calls threw.
        const bool computes = impossible == 0 || telling_values > 0;
        const bool tells_each_part = std::ranges::all_of(told, [](const auto& part) { return part.second; });
        return telling > 0 && computes && tells_each_part && left_open <= 4 * telling && unpredicted < compared;
    }
};
/// Nothing if some observation refutes what is predicted.
std::optional<Evidence> evidence_for(const std::function<Answer(const Observation&)>& predict,
                                     const std::vector<Observation>& observations);
std::optional<Evidence> evidence_for(const MistakeSet& set, const std::vector<Observation>& observations);

}  // namespace headway::diagnosis
