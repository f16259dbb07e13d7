#pragma once

#include "reference/attention.hpp"
#include "student/inputs.hpp"
#include "student/student.hpp"

#include <cmath>

/// What the hidden tests of exercise 09 ask with, and what should come back.
/// B batch · H heads · H_kv heads of keys and values · T queries · S keys · d head_dim
namespace headway::judge::grouped_query {

using reference::Array;
using reference::exact;

/// How many query heads form a group, and how many groups there are.
struct Grouping {
    Index group, H_kv;
    Index H() const { return group * H_kv; }
};

/// Neither a power of two nor equal: where they are, a wrong order of heads may look right.
inline Grouping random_grouping(Random& random) { return random.integer(0, 1) == 0 ? Grouping{5, 3} : Grouping{3, 5}; }

/// Each head of (B, H_kv, S, d) `group` times, side by side.
inline Array repeated(const Array& kv, Index group) {
    const Index head = kv.size(2) * kv.size(3);
    Array all{{kv.size(0), kv.size(1) * group, kv.size(2), kv.size(3)}, {}, {}};
    for (Index from = 0; from < kv.numel(); from += head)
        for (Index copy = 0; copy < group; ++copy) {
            all.value.insert(all.value.end(), kv.value.begin() + from, kv.value.begin() + from + head);
            all.error.insert(all.error.end(), kv.error.begin() + from, kv.error.begin() + from + head);
        }
    return all;
}

/// (B, H, length, width) as split_heads leaves it: a view.
inline Tensor heads(Random& random, Index B, Index H, Index length, Index width) {
    return random_tensor(random, {B, length, H, width}).transpose(1, 2);
}

/// What grouped_query_attention is asked with, and what it should give.
struct Inputs {
    Sizes n;
    Grouping grouping;
    Tensor q, k, v;

    Inputs(Random& random, const Grouping& groups) : Inputs(random, groups, random_sizes(random)) {}
    Inputs(Random& random, const Grouping& groups, const Sizes& sizes)
        : n(sizes),
          grouping(groups),
          q(heads(random, n.B, groups.H(), n.T, n.d)),
          k(heads(random, n.B, groups.H_kv, n.S, n.d)),
          v(heads(random, n.B, groups.H_kv, n.S, n.d_v)) {}

    Arguments with(const Mask& mask) const { return {{"q", q}, {"k", k}, {"v", v}, {"mask", mask}}; }

    /// Scores in the tens of thousands, of which a mask blocks the highest of every second row.
    Arguments with_highest_blocked() const {
        const Mask mask = largest_blocked(
            reference::masked_softmax(reference::scores(exact(q), repeated(exact(k), grouping.group)), Mask{}));
        Inputs sharp = *this;
        sharp.q = q * 1e5F;
        return sharp.with(mask);
    }

    /// Scores about 5000 for the first head of each group, and about -5000 for the others.
    Arguments with_heads_far_apart() const {
        Inputs apart = *this;
        apart.q = q.clone();
        apart.k = k.clone();
        apart.k.select(3, 0).fill(50 * std::sqrt(static_cast<float>(n.d)));
        for (Index h = 0; h < grouping.H(); ++h)
            apart.q.select(1, h).select(2, 0).fill(h % grouping.group == 0 ? 100.0F : -100.0F);
        return apart.with(Mask{});
    }

    /// Scores about 5000 for the last query of the last head of group 0, and about -5000 for all others.
    Arguments with_one_query_far_above() const {
        Inputs apart = *this;
        apart.q = q.clone();
        apart.k = k.clone();
        apart.k.select(3, 0).fill(50 * std::sqrt(static_cast<float>(n.d)));
        apart.q.select(3, 0).fill(-100);
        apart.q.select(3, 0).select(1, grouping.group - 1).select(1, n.T - 1).fill(100);
        return apart.with(Mask{});
    }

    /// All scores near this one.
    Arguments with_scores_near(float score, const Mask& mask) const {
        Inputs near = *this;
        near.q = q.clone();
        near.k = k.clone();
        near.k.select(3, 0).fill(50 * std::sqrt(static_cast<float>(n.d)));
        near.q.select(3, 0).fill(score / 50);
        return near.with(mask);
    }

    Array expected(const Mask& mask) const {
        const Index group = grouping.group;
        return reference::attention(exact(q), repeated(exact(k), group), repeated(exact(v), group), mask).context;
    }
};

/// The whole layer and what it should give.
struct Layer {
    Sizes n;
    Grouping grouping;
    Tensor x, w_q, w_k, w_v, w_o;

    Layer(Random& random, const Grouping& groups) : Layer(random, groups, random_sizes(random)) {}
    /// @param sizes  D is S
    Layer(Random& random, const Grouping& groups, const Sizes& sizes)
        : n(sizes),
          grouping(groups),
          x(random_tensor(random, {n.B, n.T, n.S})),
          w_q(weight(random, n.S, groups.H() * n.d)),
          w_k(weight(random, n.S, groups.H_kv * n.d)),
          w_v(weight(random, n.S, groups.H_kv * n.d)),
          w_o(weight(random, groups.H() * n.d, n.S)) {}

    static Tensor weight(Random& random, Index in, Index out) {
        return random_tensor(random, {in, out}) * (1.5F / std::sqrt(static_cast<float>(in)));
    }

    Arguments with(const Mask& mask) const {
        return {{"x", x},
                {"w_q", w_q},
                {"w_k", w_k},
                {"w_v", w_v},
                {"w_o", w_o},
                {"num_heads", grouping.H()},
                {"num_kv_heads", grouping.H_kv},
                {"mask", mask}};
    }

    /// Values of another width, and a w_o that would take them.
    Arguments with_wide_values(Random& random) const {
        Arguments arguments = with(Mask{});
        arguments[3].value = weight(random, n.S, grouping.H_kv * (n.d + 1));
        arguments[4].value = weight(random, grouping.H() * (n.d + 1), n.S);
        return arguments;
    }

    Arguments with_wide_output(Random& random) const {
        Arguments arguments = with(Mask{});
        arguments[4].value = weight(random, grouping.H() * n.d, n.S + 1);
        return arguments;
    }

    Array split(const Tensor& w, Index num_heads) const {
        return reference::split_heads(reference::matmul(exact(x), exact(w)), num_heads);
    }

    Array output(const Array& context) const { return reference::matmul(reference::merge_heads(context), exact(w_o)); }

    Array expected(const Mask& mask) const {
        const Array k = repeated(split(w_k, grouping.H_kv), grouping.group);
        const Array v = repeated(split(w_v, grouping.H_kv), grouping.group);
        return output(reference::attention(split(w_q, grouping.H()), k, v, mask).context);
    }
};

}  // namespace headway::judge::grouped_query
