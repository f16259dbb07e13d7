#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

#include <vector>

// Exercise 13: positions by rotation, and one matrix for three projections.
//      B batch · T tokens (queries) · S keys · P tokens in the cache · D model width
//      H num_heads · H_kv num_kv_heads · d head_dim, even where pairs are turned or reordered · d_v value width
//      E = H·d · E_kv = H_kv·d
//
// A head's d features are d / 2 pairs, each a point in a plane. A token at position p turns pair i by the angle
// p · base^(-2i/d), counter-clockwise: (x, y) becomes (x·cos - y·sin, x·sin + y·cos), as on the circle of lesson 04.
// Which two features are a pair is a convention: neighbours (2i, 2i + 1), or halves (i, i + d/2).
// No function changes its arguments or what an earlier call returned; tensors and masks may be views of any strides,
// and a result may be a view of an argument. Everything in <headway/given.hpp> is yours. Sizes are at least 1, unless a
// @throws speaks of others. Numbers are finite, a base too. Where shapes or ranks do not fit, throw
// std::invalid_argument: nothing broadcasts here but a mask. Where a tensor has an axis too few, std::out_of_range is
// right too, but only in rotary_attention, decode and pack_in_projection, and for `angles`.
namespace headway::ex13 {

/// Positions of T tokens of a text whose first padding[b] tokens are padding: the first real one has position 0, and so
/// has all padding.          positions[b, t] = max(0, first + t - padding[b]), where t = 0 is the first of these T
/// @param padding  B counts, any of which may be larger than T   @param first  how many tokens come before these T
/// @return (B, T), whole numbers
/// @throws std::invalid_argument if `first` or a count is negative, T is below 1, or padding is empty
Tensor token_positions(const std::vector<Index>& padding, Index first, Index T);

/// How far each pair is turned:   angles[b, t, i] = positions[b, t] · base^(-2i/d), in radians.
/// The power and the product may be computed in float or in double: both are right.
///                                                                                       [Su et al. 2021, §3.2.2]
/// @param positions  (B, T), whole numbers from 0 on   @return (B, T, d/2)
/// @throws std::invalid_argument also if d is odd or below 2, or base is not above 0
Tensor rotation_angles(const Tensor& positions, Index d, double base);

/// Turns neighbours (x[2i], x[2i + 1]) by angles[b, t, i].
/// @param x  (B, H, T, d)   @param angles  (B, T, d/2)   @return (B, H, T, d)
/// @throws std::invalid_argument also if d is odd
Tensor rotate_pairs(const Tensor& x, const Tensor& angles);

/// Turns halves (x[i], x[i + d/2]) by angles[b, t, i].                         [as rotate_half in Hugging Face's Llama]
/// @param x  (B, H, T, d)   @param angles  (B, T, d/2)   @return (B, H, T, d)
/// @throws std::invalid_argument also if d is odd
Tensor rotate_halves(const Tensor& x, const Tensor& angles);

/// Columns of a projection, head by head, from the order of neighbours into that of halves: within each head, columns
/// 0, 2, 4, ... come first, then 1, 3, 5, ... A rotation of halves then does to the result what one of neighbours did.
/// @param w  (..., H·d), of any rank: such as a matrix (D, H·d), or a bias (H·d)   @return the same shape
/// @throws std::invalid_argument if w has no axis, num_heads is below 1, or num_heads heads of even width do not fill
///         the last axis
Tensor pairs_to_halves(const Tensor& w, Index num_heads);

/// The way back: halves_to_pairs(pairs_to_halves(w, H), H) is w.
Tensor halves_to_pairs(const Tensor& w, Index num_heads);

/// softmax(q'·k'ᵀ / √d, masked)·v, where q' and k' are q and k with neighbours turned by their positions: a score
/// depends on the distance of query and key alone. Query head h uses keys and values of head h / (H / H_kv).
/// @param q  (B, H, T, d)   @param k  (B, H_kv, S, d)   @param v  (B, H_kv, S, d_v)
/// @param q_positions  (B, T)   @param k_positions  (B, S), both whole numbers from 0 on
/// @param mask  broadcastable to (B, H, T, S)
/// @return context (B, H, T, d_v), zeros for a query that sees no key; scores of ±1e4 overflow nothing
/// @throws std::invalid_argument also if H_kv does not divide H, or as rotation_angles does
Tensor rotary_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_positions,
                        const Tensor& k_positions, double base, const Mask& mask);

/// What is kept of the tokens so far; both Tensor{}: nothing yet. A cache with one of them alone is refused.
struct Cache {
    Tensor k;  ///< (B, H_kv, P, d), turned
    Tensor v;  ///< (B, H_kv, P, d_v)
};

struct Decoded {
    Tensor context;  ///< (B, H, T, d_v)
    Cache cache;     ///< of P + T tokens: a new one, the old one stays as it was
};

/// Causal attention of T new tokens to the P in the cache and to themselves. New token t is in column P + t of its
/// text, and padding[b] counts the padding at the beginning of text b; padding is never seen. Each key is turned once,
/// when it is new, by its own position; keys in the cache have been.
/// @param q  (B, H, T, d)   @param k  (B, H_kv, T, d)   @param v  (B, H_kv, T, d_v), none of them turned yet
/// @param padding  B counts, any of which may be larger than P + T
/// @return contexts of padding are zeros; keys of padding, at position 0, are kept unturned (up to rounding)
/// @throws std::invalid_argument also where rotary_attention or token_positions does
Decoded decode(const Cache& cache, const Tensor& q, const Tensor& k, const Tensor& v, const std::vector<Index>& padding,
               double base);

/// Three projections as torch.nn.MultiheadAttention keeps them (there E_kv is E), under each other and (out, in):
/// `in_proj_weight` and `in_proj_bias`. Queries come first, then keys, then values.
struct Packed {
    Tensor weight;  ///< (E + 2·E_kv, D)
    Tensor bias;    ///< (E + 2·E_kv), or Tensor{}
};

/// @param w_q  (D, E)   @param w_k, w_v  (D, E_kv), as this course's functions take them: x·w
/// @param b_q  (E)   @param b_k, b_v  (E_kv); or all three Tensor{}. How E and E_kv divide into heads is of no matter.
/// @throws std::invalid_argument also if w_k and w_v differ in shape, or some biases are there and some are not
Packed pack_in_projection(const Tensor& w_q, const Tensor& w_k, const Tensor& w_v, const Tensor& b_q, const Tensor& b_k,
                          const Tensor& b_v);

struct Projections {
    Tensor w_q, w_k, w_v;  ///< (D, E), (D, E_kv), (D, E_kv)
    Tensor b_q, b_k, b_v;  ///< (E), (E_kv), (E_kv), or Tensor{}
};

/// The way back, for a layer of H heads of queries and H_kv heads of keys and values.
/// @throws std::invalid_argument also if H_kv does not divide H, one of them is below 1, the rows do not divide into
///         H + 2·H_kv heads, or there is a bias that has not the shape (rows)
Projections unpack_in_projection(const Packed& packed, Index num_heads, Index num_kv_heads);

}  // namespace headway::ex13
