#pragma once

#include "labs/train/model.hpp"

#include <string>
#include <vector>

namespace headway::lab {

/// What a head does, from 0 to 1: the mean weight that it gives to the place in question.
struct HeadScore {
    Index block = 0, head = 0;
    double previous = 0;   ///< the token before
    double first = 0;      ///< the first token
    double induction = 0;  ///< where the next token can be copied: what followed this token earlier
    double agree = 0;      ///< where a verb comes: its subject
    double refer = 0;      ///< where a pronoun comes: whom it means

    /// "induction 0.87, first token 0.41": what stands out, the most first, or that nothing does.
    std::string in_words() const;
    /// The first of these alone: "induction 0.87".
    std::string main_role() const;
};

std::vector<HeadScore> score_heads(LanguageModel& model, const Batch& batch);

/// Of the places where a relation decides the next token, how many are predicted; NaN where there are none.
double accuracy(const Tensor& logits, const Batch& batch, Relation relation);

}  // namespace headway::lab
