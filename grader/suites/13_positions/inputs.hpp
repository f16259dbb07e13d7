#pragma once

#include "suites/13_positions/in_projection.hpp"
#include "suites/13_positions/rotary.hpp"

#include "student/inputs.hpp"
#include "student/student.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

/// What the hidden tests of exercise 13 ask with, and what should come back.
/// B batch · H heads · H_kv heads of keys and values · T queries · S keys · P tokens in the cache · d head_dim
namespace headway::judge::positions {

using diagnosis::Rotary;
using reference::Array;
using reference::exact;

/// How many query heads form a group, and how many groups there are.
struct Grouping {
    Index group, H_kv;
    Index H() const { return group * H_kv; }
};

/// (B, H, length, width) as split_heads leaves it: a view.
Tensor heads(Random& random, Index B, Index H, Index length, Index width);

/// An even width that is no power of two.
Index even_width(Random& random);

Sizes with_even_width(Sizes n, Random& random);

/// Another for each test; 10000 is for others.
double random_base(Random& random);

/// Positions (B, T) up to `largest`, in no order.
Tensor random_positions(Random& random, Index B, Index T, Index largest);

/// (B, T, pairs), each another.
Tensor random_angles(Random& random, Index B, Index T, Index pairs);

/// The same, but of the first token, as at position 0, and one of the last.
Tensor with_some_zeros(const Tensor& angles);

/// As numbers, and with error bounds where a submission had to compute them itself.
Array rotated(const Tensor& x, const Tensor& positions, double base);

/// What rotary_attention is asked with, and what it should give.
struct Inputs {
    Grouping grouping;
    Tensor q, k, v, q_positions, k_positions;
    double base;

    /// @param n  n.d is even
    Inputs(Random& random, const Grouping& groups, const Sizes& n);
    /// Every position of sequence b moved on by shifts[b].
    Inputs moved(const std::vector<Index>& shifts) const;
    /// Scores of every other query are far above what exp can take, or far below it where `level`, at which keys are,
    /// is negative. Nothing is turned, since large numbers that were turned are only roughly known.
    Inputs at_level(Random& random, float level) const;
    /// All scores are about -1e4, and nothing is turned.
    Inputs with_low_scores() const;
    Arguments with(const Mask& mask) const;
    Array expected(const Mask& mask) const;
    /// The same, given q and k as they are after they were turned.
    Array expected(const Array& turned_q, const Array& turned_k, const Mask& mask) const;
};

/// What decode is asked with, and what it should give.
struct Decoding {
    Grouping grouping;
    Tensor cached_k, cached_v, q, k, v;
    std::vector<Index> padding;
    double base;

    struct Expected {
        Array context, k, v;
    };

    /// @param n  n.S tokens are in the cache, n.T are new; n.d is even
    Decoding(Random& random, const Grouping& groups, const Sizes& n, std::vector<Index> padding_of_each);
    /// What a call that fits was asked with, in the order of arguments().
    explicit Decoding(const Arguments& asked);
    Index P() const { return cached_k.defined() ? cached_k.size(2) : 0; }
    /// An empty cache.
    Decoding from_the_beginning() const;
    /// Every other query and all new keys are at a level: what such a token gives itself as a score is far from 0.
    Decoding at_level(Random& random, float level) const;
    Arguments arguments() const;
    Expected expected() const;
    /// The same, given q and k as they are after they were turned.
    Expected expected(const Array& turned_q, const Array& turned_k) const;
    /// What these queries find, given all keys as they meet them.
    Array context(const Array& turned_q, const Array& all_keys, const Mask& mask) const;
    Mask mask() const;
};

/// The number of padding tokens for each of B sequences, from 0 to `most`, all different where there is room.
std::vector<Index> random_padding(Random& random, Index B, Index most);

// One matrix for three projections: D model width · E = H·d · E_kv = H_kv·d
/// Weights and biases of a layer, and what becomes of them.
struct Layer {
    std::array<Tensor, 3> w, b;

    Layer(Random& random, Index D, Index E, Index E_kv)
        : w{random_tensor(random, {D, E}), random_tensor(random, {E_kv, D}).transpose(0, 1),
            random_tensor(random, {D, E_kv})},
          b{random_tensor(random, {E}), random_tensor(random, {E_kv}), random_tensor(random, {E_kv})} {}

    Layer without_biases() const {
        Layer other = *this;
        other.b = {};
        return other;
    }
    Arguments arguments() const {
        return {{"w_q", w[0]}, {"w_k", w[1]}, {"w_v", w[2]}, {"b_q", b[0]}, {"b_k", b[1]}, {"b_v", b[2]}};
    }
    diagnosis::PackedArrays packed() const {
        return diagnosis::packed(diagnosis::InProjection::right(), {exact(w[0]), exact(w[1]), exact(w[2])},
                                 {exact(b[0]), exact(b[1]), exact(b[2])});
    }
};

/// x as the student's own rotation_angles and rotate_pairs turn it; nothing if these are of no use.
std::optional<Array> turned_by_own(Student& student, const Tensor& x, const Tensor& positions, double base);
/// Positions by the student's own token_positions.
std::optional<Tensor> own_positions(Student& student, const std::vector<Index>& padding, Index first, Index T);
/// What decode makes of the student's own functions.
std::optional<Decoding::Expected> from_own(Student& student, const Decoding& in);
/// What it makes of them by way of rotary_attention, which turns all keys, the turned ones too: by position 0, so that
/// they stay as they are. Where the student's own do not leave them so, the context is another.
/// @param mask  what decode hides
std::optional<Decoding::Expected> from_own_attention(Student& student, const Decoding& in, const Mask& mask);

}  // namespace headway::judge::positions
