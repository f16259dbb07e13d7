#pragma once

#include "suites/11_long_texts/ring.hpp"
#include "suites/11_long_texts/windows.hpp"

#include "student/inputs.hpp"
#include "student/student.hpp"

#include <optional>
#include <vector>

/// What the hidden tests of exercise 11 ask with, and what should come back.
/// B batch · H heads · T queries · S keys · d head_dim · d_v value width · w window
namespace headway::judge::long_texts {

using diagnosis::Ringing;
using diagnosis::Windows;
using reference::Array;
using reference::exact;
using Positions = std::vector<Index>;

/// (B, H, length, width) as split_heads leaves it: a view.
Tensor heads(Random& random, Index B, Index H, Index length, Index width);

/// Random sizes with fewer queries than keys.
Sizes long_sizes(Random& random);

/// Some tokens of S, in no order, one of them twice: the first, the last, one between them, some of these or none.
Positions random_globals(Random& random, Index S);

/// Where padding stands.
enum class Padded { nowhere, left, right, both, between };
inline constexpr Padded all_paddings[] = {Padded::nowhere, Padded::left, Padded::right, Padded::both, Padded::between};
/// (B, 1, 1, S), each sequence with another number of padding tokens, one of them perhaps nothing but padding; Mask{}
/// for nowhere. A view, except of one sequence.
Mask random_padding(Random& random, Index B, Index S, Padded padded);

/// Window, global tokens and padding of a call.
struct Looks {
    Index w;
    Positions globals;
    Mask padding;
};
Looks random_looks(Random& random, const Sizes& n, Index w);

/// What window_attention is asked with, and what it should give.
struct Inputs {
    Tensor q, k, v;
    Looks looks;

    Inputs(Random& random, const Sizes& n, Looks all);
    /// What a call was asked with, in the order of arguments().
    explicit Inputs(const Arguments& asked);
    Arguments arguments() const;
    Mask mask(const Windows& choices = Windows::right()) const;
    Array expected() const { return expected(mask()); }
    Array expected(const Mask& mask) const;
    /// Every query and key has this number times √d as its score, on top of what it had.
    Inputs at_level(float level) const;
    /// The same, but of every second head, and of other queries in the next, with the other sign.
    Inputs at_both_levels(float level) const;
};

/// A cache with tokens in it.
struct Filled {
    Tensor k, v;  ///< (B, H, w, d), (B, H, w, d_v); slots that no token has reached hold large numbers
    Index next;

    Filled(Random& random, const Sizes& n, Index w, Index tokens);
    /// What a call was asked with: the first three arguments.
    explicit Filled(const Arguments& asked);
    Arguments arguments() const { return {{"ring.k", k}, {"ring.v", v}, {"next", next}}; }
    wire::Handle in(Student& student) const;
    diagnosis::Ring ring() const { return {exact(k), exact(v), next, !k.is_contiguous()}; }
    /// The same numbers in a storage of (B, w, H, width), as views.
    Filled with_slots_before_heads() const;
};

/// What ring_append and ring_decode are asked with besides the cache.
struct NewTokens {
    Tensor q, k, v;

    NewTokens(Random& random, const Sizes& n, Index tokens);
    Arguments appended(const wire::Value& cache) const { return {{"cache", cache}, {"k", k}, {"v", v}}; }
    Arguments decoded(const wire::Value& cache) const { return {{"cache", cache}, {"q", q}, {"k", k}, {"v", v}}; }
};

/// A look into a cache of the worker's.
struct Contents {
    Tensor k, v;
    Index next = 0, stored = 0;
};
Contents contents(Student& student, const wire::Value& cache);

/// What new tokens should get from a ring.
Array decoded(const diagnosis::Ring& ring, const Tensor& q, const Tensor& k, const Tensor& v);
/// The same by the student's own window_attention, over old tokens in the order of positions and the new ones; nothing
/// if it is of no use.
std::optional<Array> decoded_by_own(Student& student, const diagnosis::Ring& ring, const Tensor& q, const Tensor& k,
                                    const Tensor& v);

}  // namespace headway::judge::long_texts
