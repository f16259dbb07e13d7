#include "diagnosis/grouping.hpp"

#include "diagnosis/elements.hpp"

#include <stdexcept>

namespace headway::diagnosis {
namespace {

Index own_head(Index h, Index, Index) { return h; }

}  // namespace

Index head_of_group(Index h, Index H, Index H_kv) { return h / (H / H_kv); }

void require_even_groups(Index H, Index H_kv) {
    if (H_kv < 1 || H < H_kv || H % H_kv != 0) throw std::invalid_argument("uneven groups");
}

Array shared_heads(const Array& kv, Index H, Grouping::HeadOf head_of) {
    const Index H_kv = kv.size(1);
    require_even_groups(H, H_kv);
    return gathered(kv, {kv.size(0), H, kv.size(2), kv.size(3)}, [&](Coordinate at) {
        const Index from[] = {at[0], head_of(at[1], H, H_kv), at[2], at[3]};
        return position(kv.shape, from);
    });
}

Array exchanged_heads(const Array& q, Index H_kv, Grouping::HeadOf head_of) {
    const Index H = q.size(1);
    require_even_groups(H, H_kv);
    return gathered(q, q.shape, [&](Coordinate at) {
        const Index from[] = {at[0], head_of(at[1], H, H_kv), at[2], at[3]};
        return position(q.shape, from);
    });
}

Grouping right_grouping() {
    return {.key = &head_of_group,
            .value = &head_of_group,
            .mask = &own_head,
            .mask_row = [](Index place, Index t, Index, Index T) { return place * T + t; },
            .keys = [](Index column, Index E, Index, Index) { return E + column; },
            .values = [](Index column, Index E, Index E_kv, Index) { return E + E_kv + column; }};
}

}  // namespace headway::diagnosis
