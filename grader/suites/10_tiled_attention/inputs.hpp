#pragma once

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"

namespace headway::judge::tiled {

inline const CheckedPart context_axes{"context vectors", Stage::weigh, {"b", "h", "query", "feature"}};

/// Random queries, keys and values, as split_heads leaves them.
struct Inputs {
    Sizes n;
    Tensor q, k, v;

    Inputs(Random& random, const Sizes& sizes)
        : n(sizes), q(heads(random, n.T, n.d)), k(heads(random, n.S, n.d)), v(heads(random, n.S, n.d_v)) {}

    Arguments with(const Mask& mask, bool causal, Index tile) const {
        return {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}, {"causal", causal}, {"tile", tile}};
    }

    /// As split_heads leaves it: a view.
    Tensor heads(Random& random, Index length, Index width) const {
        return random_tensor(random, {n.B, length, n.H, width}).transpose(1, 2);
    }
};

inline Mask joined(const Mask& mask, bool causal, const Sizes& n) {
    return causal ? mask | reference::causal_mask(n.T, n.S) : mask;
}

inline reference::Array expected_context(const Inputs& in, const Mask& mask, bool causal) {
    using reference::exact;
    return reference::attention(exact(in.q), exact(in.k), exact(in.v), joined(mask, causal, in.n)).context;
}

/// One key is open, for one query: inside a tile of 3 or more, whose corners are blocked.
inline Mask open_inside(const Sizes& n) {
    Mask mask = Mask::block_all({n.T, n.S});
    mask(1, 1) = false;
    return mask;
}

}  // namespace headway::judge::tiled
