#pragma once

#include <headway/nn.hpp>

namespace headway::lab {

/// m = β₁m + (1-β₁)g;  v = β₂v + (1-β₂)g²;  θ = θ - rate·(m̂ / (√v̂ + ε) + decay·θ).      [Loshchilov and Hutter 2019]
/// Only matrices decay.
class AdamW {
public:
    explicit AdamW(const nn::StateDict& parameters);

    /// @param step  from 1 on
    void update(nn::StateDict& parameters, const nn::StateDict& gradients, double rate, Index step);

    /// m and v, to be saved and to be brought back.
    nn::StateDict first, second;
};

}  // namespace headway::lab
