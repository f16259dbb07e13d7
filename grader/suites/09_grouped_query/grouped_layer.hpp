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
    bool default_head_dim = false;    ///< head_dim of the layer is D / H, not the columns of w_q / H
    bool gaps_refused = false;        ///< by repeat_heads, which views kv with one more axis
    bool value_heads_checked = true;  ///< whether v has as many heads as k
    bool features_of_keys = false;    ///< as many features of v are gathered as k has
    /// Of which rows the largest score is subtracted from one: of itself, of the same query in the heads of its group
    /// so far or in all of them, or of all queries of its group.
    enum class Largest { own, of_heads_so_far, of_heads, of_group };
    Largest largest = Largest::own;
    bool columns_checked_by_groups = false;  ///< pool_heads checks them against H_kv, not H
    /// Which token of its head stands at token t of the copy at `place` of its group, if it is not t itself.
    Grouping::RowOf token = nullptr;
    static const GroupedLayer& right();
};

/// Copies of heads, (B, H, S, d), whose tokens are those that `token` says.
/// @param group  copies of a head
Array exchanged_tokens(const Array& copies, Index group, Grouping::RowOf token);

/// (B, H, T, d_v) of which no feature from `count` on was gathered.
Array first_features(Array context, Index count);

/// The context where each row's scores are compared with the largest of others too, below which they vanish.
/// @param scores  (B, H, T, S)   @param blocked  one flag for each   @param group  query heads of a group
Array below_the_largest(Array context, const Array& scores, const std::vector<bool>& blocked, Index group,
                        GroupedLayer::Largest largest);

}  // namespace headway::diagnosis
