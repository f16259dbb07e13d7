#pragma once

#include "diagnosis/grouping.hpp"

namespace headway::diagnosis {

/// What is decided around attention in groups: what is copied, cached and pooled, and how wide a head is. (Which heads
/// attention shares is Grouping.)
struct GroupedLayer {
    Grouping::HeadOf copied;  ///< by repeat_heads
    double (*cached)(Index B, Index S, Index H, Index H_kv, Index d);
    /// (D, H·d) -> (D, H_kv·d)
    Array (*pool)(const Array& w, Index H, Index H_kv);
    bool default_head_dim = false;           ///< head_dim of the layer is D / H, not the columns of w_q / H
    bool gaps_refused = false;               ///< by repeat_heads, which views kv with one more axis
    bool value_heads_checked = true;         ///< whether v has as many heads as k
    bool features_of_keys = false;           ///< as many features of v are gathered as k has
    bool largest_goes_on = false;            ///< the largest score is not begun anew for the next head of a group
    bool columns_checked_by_groups = false;  ///< pool_heads checks them against H_kv, not H
    static const GroupedLayer& right();
};

/// (B, H, T, d_v) of which no feature from `count` on was gathered.
Array first_features(Array context, Index count);

/// The context where each head's scores are compared with the largest of all heads before it in its group, too.
/// @param scores  (B, H, T, S)   @param blocked  one flag for each
Array below_heads_before(Array context, const Array& scores, const std::vector<bool>& blocked, Index group);

}  // namespace headway::diagnosis
