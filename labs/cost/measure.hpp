#pragma once

#include "labs/cost/count.hpp"

#include <headway/tensor.hpp>

#include <functional>
#include <string>
#include <vector>

namespace headway::lab {

/// What one shape of attention costs.
struct Cost {
    AttentionSizes sizes;
    Index counted = 0;         ///< multiply-adds of the student's forward, as matmul counted them
    Index weights = 0;         ///< numbers in what the student's attention_weights returns
    double forward_ms = 0;     ///< the student's forward
    double batched_ms = 0;     ///< attention of all heads by one product, without projections
    double one_by_one_ms = 0;  ///< the same in a loop over heads
};

/// The fastest of several runs after one that does not count: what a machine does besides only makes a run slower.
double milliseconds(int repeats, const std::function<Tensor()>& run);

Cost measure_one(const AttentionSizes& sizes, int repeats);

struct CostPlan {
    Index D = 256;
    Index tokens = 1024;  ///< B·T, the same for each T: so the projections cost the same
    std::vector<Index> lengths = {32, 64, 128, 256};
    std::vector<Index> heads = {1, 2, 4, 8, 16, 32, 64};
    int repeats = 5;
};

/// All of the plan, T by T. @param progress  called before each shape  @throws Stopped after Ctrl-C
std::vector<Cost> measure(const CostPlan& plan, const std::function<void(const std::string&)>& progress);

}  // namespace headway::lab
