#include "diagnosis/grouping.hpp"

#include "diagnosis/elements.hpp"

#include <cmath>
#include <stdexcept>

namespace headway::diagnosis {
namespace {

Index head_of_group(Index h, Index H, Index H_kv) { return h / (H / H_kv); }
Index own_head(Index h, Index, Index) { return h; }

double cached_numbers(Index B, Index S, Index, Index H_kv, Index d) {
    return static_cast<double>(2 * B * S * H_kv * d);
}

Array mean_of_each_group(const Array& w, Index H, Index H_kv) {
    const Index d = w.size(1) / H, group = H / H_kv;
    Array pooled = zeros({w.size(0), H_kv * d});
    const auto share = 1 / static_cast<double>(group);
    each(w.shape, [&](Coordinate at, std::size_t i) {
        const Index to[] = {at[0], at[1] / d / group * d + at[1] % d};
        pooled.value[position(pooled.shape, to)] += share * w.value[i];
        pooled.error[position(pooled.shape, to)] +=
            share * (w.error[i] + static_cast<double>(group + 2) * reference::unit_roundoff * std::abs(w.value[i]));
    });
    return pooled;
}

}  // namespace

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

Grouping right_grouping() {
    return {.copied = &head_of_group,
            .key = &head_of_group,
            .value = &head_of_group,
            .mask = &own_head,
            .keys_begin = [](Index E, Index) { return E; },
            .values_begin = [](Index E, Index E_kv) { return E + E_kv; },
            .cached = &cached_numbers,
            .pool = &mean_of_each_group};
}

}  // namespace headway::diagnosis
