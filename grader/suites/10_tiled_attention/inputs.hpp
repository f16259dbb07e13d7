#pragma once

#include "reference/attention.hpp"
#include "student/hidden_test.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"

#include <cmath>

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

/// Every other key is blocked.
inline Mask every_other_blocked(const Sizes& n) {
    Mask mask = Mask::allow_all({n.S});
    for (Index s = 0; s < n.S; s += 2) mask(s) = true;
    return mask;
}

/// Queries and keys (B, H, ·, d) of which the keys that this mask (S) blocks score 1e4 more than the others.
inline void raise_blocked(Tensor& q, Tensor& k, const Mask& mask) {
    q = q.contiguous().clone();
    k = k.contiguous().clone();
    q.select(3, 0).fill(100);
    for (Index s = 0; s < k.size(2); ++s)
        k.select(2, s).select(2, 0).fill(mask(s) ? 100 * std::sqrt(static_cast<float>(q.size(3))) : 0);
}

/// One key is open, for one query: inside a tile of 3 or more, whose corners are blocked.
inline Mask open_inside(const Sizes& n) {
    Mask mask = Mask::block_all({n.T, n.S});
    mask(1, 1) = false;
    return mask;
}

}  // namespace headway::judge::tiled
