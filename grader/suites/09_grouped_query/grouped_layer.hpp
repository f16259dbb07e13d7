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
    bool default_head_dim = false;  ///< head_dim of the layer is D / H, not the columns of w_q / H
    static const GroupedLayer& right();
};

}  // namespace headway::diagnosis
