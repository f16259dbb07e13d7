#pragma once

#include "question.hpp"

#include <diagnosis/choices.hpp>

#include <string>
#include <vector>

// Attention stage by stage, as the grader's model computes it: right, or with mistakes of its catalogue.
namespace headway::explorer {

struct Stage {
    std::string id;  ///< x, q, k, v, q_heads, k_heads, v_heads, scores, scaled, masked, weights, context, merged, ...
    reference::Array numbers;  ///< masked: -infinity where softmax does not see a score
};

struct Trace {
    std::vector<Stage> stages;
    /// Where shapes stop fitting, if they do: the stage that could not be computed, and why.
    std::string stopped_at = {};
    std::string because = {};
};

/// The right choices, with the mistakes that the question asks for.
/// @throws std::invalid_argument if there is no such mistake
diagnosis::Choices choices_of(const Question& question);

/// The mask of the question, made as `choices` make masks: (T, T), (1, 1, 1, T), or none.
Mask mask_of(const Question& question, const diagnosis::Choices& choices);

/// @throws std::invalid_argument, as inputs_of and choices_of
Trace trace(const Question& question);

}  // namespace headway::explorer
