#include "suites/09_grouped_query/grouped_layer.hpp"

#include "diagnosis/elements.hpp"

#include <cmath>

namespace headway::diagnosis {
namespace {

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

const GroupedLayer& GroupedLayer::right() {
    static const GroupedLayer all{&head_of_group, &cached_numbers, &mean_of_each_group};
    return all;
}

}  // namespace headway::diagnosis
