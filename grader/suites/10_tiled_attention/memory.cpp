#include "memory.hpp"

#include <algorithm>

namespace headway::judge::tiled {

std::optional<Memory> memory_of(Student& student, Random& random, const Sizes& n, bool causal) {
    const Inputs in(random, n);
    student.fresh_worker();
    Arguments arguments = in.with(random_mask(random, {n.S}), causal, 64);
    for (std::size_t i = 0; i < 3; ++i)
        arguments[i].value = student.store(std::get<Tensor>(arguments[i].value).contiguous());
    const Inputs small(random, random_sizes(random));
    student.outcome("tiled_attention", small.with(Mask{}, causal, 3));  // code that runs first is loaded first
    const auto grown = student.memory_growth("tiled_attention", arguments);
    if (!grown) return std::nullopt;
    const auto output = static_cast<std::uint64_t>(n.B * n.H * n.T * n.d_v) * sizeof(float);
    return Memory{*grown - std::min(*grown, output), static_cast<std::uint64_t>(n.B * n.H * n.T * n.S) * sizeof(float)};
}

}  // namespace headway::judge::tiled
