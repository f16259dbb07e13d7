// A softmax in one pass, which rescales what it has when a larger score turns up.
#include "diagnosis/chapters.hpp"

namespace headway::diagnosis {

Chapter chapters::rescaling() {
    static constexpr Decision decisions[] = {
        {.id = "softmax_running",
         .stage = Stage::softmax,
         .lesson = {{"01", "Softmax without overflow"}},
         .pseudocode = "for each key: now = max(largest, score); total and what is gathered · exp(largest − now); then "
                       "add exp(score − now)"},
    };
    static constexpr Mistake mistakes[] = {
        {.id = "softmax_total_not_rescaled",
         .decision = "softmax_running",
         .title = "the running total is not rescaled when a larger score turns up",
         .right = "multiply it by exp(old maximum - new maximum), and then add the new key's share",
         .symptom = "right where the first score is the largest; else rows sum to less than 1",
         .question = "From which maximum were the terms measured that your total already holds?",
         .make = [](Choices& c) { c.softmaxing.rescaled = Rescaled::gathered; }},
        {.id = "softmax_gathered_not_rescaled",
         .decision = "softmax_running",
         .title = "what was gathered is not rescaled when a larger score turns up; the total is",
         .right = "multiply both by exp(old maximum - new maximum)",
         .symptom = "right where the first score is the largest; else earlier keys weigh too much",
         .question = "From which maximum were the terms measured that you have gathered already?",
         .make = [](Choices& c) { c.softmaxing.rescaled = Rescaled::total; }},
        {.id = "softmax_nothing_rescaled",
         .decision = "softmax_running",
         .title = "nothing is rescaled when a larger score turns up: each key is measured from the largest so far",
         .right = "multiply total and what was gathered by exp(old maximum - new maximum)",
         .symptom = "right where the first score is the largest; else earlier keys weigh too much",
         .question = "From which maximum were the terms measured that you have already?",
         .make = [](Choices& c) { c.softmaxing.rescaled = Rescaled::nothing; }},
    };
    return {decisions, mistakes};
}

}  // namespace headway::diagnosis
