#pragma once

#include "suites/06_catch_the_bug/attentions/sizes.hpp"

/// Right attentions, written as different people write them. They agree but for rounding, for the strides of what they
/// return, and for the order in which numbers are added.
namespace headway::attentions {

/// One number at a time.
Attended nested_loops(const Inputs& in);
/// Head by head; each head's context goes through its rows of w_o, and the results are added up.
Attended sum_of_heads(const Inputs& in);
/// One pass over the keys, with a maximum that grows; weights are written afterwards.
Attended online_softmax(const Inputs& in);
/// weights = exp(score - log Σ exp); returned keys first in memory.
Attended log_sum_exp(const Inputs& in);
/// q and k are each divided by the fourth root of d, blocked scores are -infinity.
Attended both_sides_scaled(const Inputs& in);
/// Everything in double, from the last key to the first.
Attended double_precision(const Inputs& in);

}  // namespace headway::attentions
