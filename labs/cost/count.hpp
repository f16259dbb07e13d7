#pragma once

#include <headway/layout.hpp>

namespace headway::lab {

/// Self-attention of B sequences of T tokens of width D with H heads of width D / H.
struct AttentionSizes {
    Index B = 1, T = 1, D = 1, H = 1;
};

/// Multiply-adds that it needs: 4·B·T·D² for the projections, B·H·T²·(D/H) for the scores and as many to weigh the
/// values. H cancels.
struct Work {
    Index projections = 0;
    Index scores = 0;
    Index weighing = 0;

    Index all() const { return projections + scores + weighing; }
};
Work work_of(const AttentionSizes& sizes);

/// Numbers in the scores, B·H·T²: here H does not cancel.
Index scores_in(const AttentionSizes& sizes);

}  // namespace headway::lab
