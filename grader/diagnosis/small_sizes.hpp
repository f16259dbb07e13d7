#pragma once

#include <headway/layout.hpp>
#include <headway/random.hpp>

namespace headway::diagnosis {

/// Sizes for a question: they differ pairwise, T < S, and all are small, since a search computes thousands of answers.
struct SmallSizes {
    Index B, H, T, S, d, d_v;
    Index D() const { return H * d; }
};

SmallSizes small_sizes(Random& random);

}  // namespace headway::diagnosis
