#include "labs/cost/count.hpp"

namespace headway::lab {

Work work_of(const AttentionSizes& sizes) {
    const auto [B, T, D, H] = sizes;
    const Index head_dim = D / H;
    return {.projections = 4 * B * T * D * D, .scores = B * H * T * T * head_dim, .weighing = B * H * T * T * head_dim};
}

Index scores_in(const AttentionSizes& sizes) { return sizes.B * sizes.H * sizes.T * sizes.T; }

}  // namespace headway::lab
