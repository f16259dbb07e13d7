#pragma once

#include <headway/tensor.hpp>

// Exercise 10: the same attention, tile by tile, so that the (T, S) scores never exist at once.
//          B batch · H heads · T queries · S keys · n keys of a tile · d head_dim · d_v value width
//
// No function changes a const argument or what an earlier call returned; only absorb changes its Running. Tensors and
// masks may be views of any strides, those of a Running aside. Nothing broadcasts here but a mask. <headway/given.hpp>
// is not available. Sizes are at least 1 and ranks as named, except where a @throws names others.
namespace headway::ex10 {

/// What a softmax over the keys seen so far needs to go on. The caller has it from nothing_seen and absorb, with
/// strides that are up to you (all three tensors may lie in one storage), or makes one of row-major tensors, each in a
/// storage of its own, with numbers that absorb could have left. The caller never copies a Running. Before the first
/// key: -infinity, 0 and zeros; the same as long as every score was -infinity.
struct Running {
    Tensor largest;   ///< (B, H, T, 1): the largest score
    Tensor total;     ///< (B, H, T, 1): Σ exp(score - largest)
    Tensor gathered;  ///< (B, H, T, d_v): Σ exp(score - largest) · v
};

/// @throws std::invalid_argument unless all four are at least 1
Running nothing_seen(Index B, Index H, Index T, Index d_v);

/// Takes in the scores and values of n more keys. Where a larger score turns up, what was summed before shrinks by
/// exp(largest before - largest now). Scores of ±1e4 and beyond overflow nothing.            [Milakov, Gimelshein 2018]
/// The new numbers may lie in the storage that running has, or in new ones.
/// @param scores  (B, H, T, n), scaled and finite, or -infinity where a key is blocked   @param v  (B, H, n, d_v)
/// @throws std::invalid_argument if scores or v do not fit running, whose own shapes always fit each other (its numbers
///         may have changed by then)
void absorb(Running& running, const Tensor& scores, const Tensor& v);

/// gathered / total: the softmax-weighted mean of the values; 0, never NaN, where no key was seen.
/// @return (B, H, T, d_v)
Tensor context(const Running& running);

enum class Causal { no, yes };

/// softmax(q·kᵀ / √d, masked)·v, computed for at most `tile` queries and `tile` keys at a time (fewer are right too,
/// and tiles may begin anywhere). Memory beside arguments and result does not grow with T·S: for hundreds of queries, a
/// thousand keys, a d and d_v of 2 or 3 and a tile of 64 it is less than a fifth of what all B·H·T·S scores would take.
/// Running states of all queries, which grow with T alone, may exist at once.
///                                                                                              [Dao 2023, Algorithm 1]
/// With Causal::yes a query sees keys s <= t + (S - T) only, in addition to the mask, and a tile of keys that all lie
/// in the future of all queries of a tile is not computed at all. This is tested with NaN in the last keys and values:
/// none may reach a query whose position, t + (S - T), is at least 2·tile before them, wherever your tiles begin.
/// Queries nearer to them may become NaN, and copying NaN is no harm. With Causal::no, and in q, there is none. All
/// other numbers, and the scores that they give, are finite.
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @param v  (B, H, S, d_v)
/// @param mask  true = may not attend; broadcastable to (B, H, T, S)
/// @return (B, H, T, d_v); zeros for queries that see no key
/// @throws std::invalid_argument if tile < 1, B, H, d or S differ where they must agree, or the mask does not broadcast
Tensor tiled_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Mask& mask, Causal causal, Index tile);

}  // namespace headway::ex10
