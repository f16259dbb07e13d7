#pragma once

#include <headway/given.hpp>
#include <headway/tensor.hpp>

#include <vector>

// Exercise 11: long texts. Each token looks at a window of the last w tokens, and a few global tokens at everything.
//     B batch · H heads · T queries · S keys · n new tokens · d head_dim · d_v value width · w window · L layers
//
// T queries are the last T of S positions: query t is at position p(t) = t + (S - T). As everywhere in this course,
// true in a mask means "may not attend", and Mask{} blocks nothing. Everything in <headway/given.hpp> up to
// scaled_dot_product_context is yours to use. No function changes a const argument or what an earlier call returned;
// tensors and masks may be views of any strides. Where T > S, or where shapes do not fit, throw std::invalid_argument;
// also where T, w, layers or a size in make_ring is below 1. Where q, k, v or the mask of reach has another rank,
// std::out_of_range is right too. Tensors and masks have elements: empty ones are not asked about. Nothing broadcasts
// here.
namespace headway::ex11 {

// ---- masks -------------------------------------------------------------------------------------------------------

/// A token sees itself and the w - 1 tokens before it: open where 0 <= p(t) - s < w. w may be larger than S,
/// and than an int holds.
///                                                                    [Child et al. 2019; Beltagy et al. 2020, §3.1]
/// @return (T, S)   @throws std::invalid_argument if w < 1, T < 1 or S < T
Mask window_mask(Index T, Index S, Index w);

/// Global tokens see every key, and every query sees them: open where p(t) or s is one of `positions`.
///                                                                    [Beltagy et al. 2020, §3.1; Zaheer et al. 2020]
/// @param positions  in [0, S), in any order, some perhaps twice; there may be none
/// @return (T, S)   @throws std::invalid_argument also if a position is not in [0, S)
Mask global_mask(Index T, Index S, const std::vector<Index>& positions);

/// Open where the window or a global token opens it, nothing lies in the future (s > p(t)), and s is no padding.
/// @param globals  as the positions of global_mask: in any order, some perhaps twice; there may be none
/// @param padding  (B, 1, 1, S) of any B, true where a key is padding, at either end or in between; or Mask{}
/// @return (B, 1, T, S), or (T, S) for Mask{}
/// @throws std::invalid_argument as the two above, and if padding has any other shape
Mask long_mask(Index T, Index S, Index w, const std::vector<Index>& globals, const Mask& padding);

// ---- attention ---------------------------------------------------------------------------------------------------

/// softmax(q·kᵀ / √d, masked by long_mask)·v, without ever looking at what a window blocks: with w and the number of
/// global tokens fixed, time and memory grow with T, and with S for each global query, not with T·S. At most a few
/// numbers (16) per query and key of its window, and S more for a global query, exist at once: this is measured with
/// one head of one sequence, and windows of 24 and 64 in longer texts. Keys and values before the first query's window
/// are not read if nothing is global: both may be NaN; all else is finite. Scores of ±1e4 overflow nothing.
/// @param q  (B, H, T, d)   @param k  (B, H, S, d)   @param v  (B, H, S, d_v)
/// @param globals  as for long_mask; a key counts once, however often they name it
/// @param padding  (B, 1, 1, S), with the B of q and no other; or Mask{}
/// @return (B, H, T, d_v); zeros for queries that see no key
/// @throws std::invalid_argument as long_mask, and if a shape does not fit
Tensor window_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index w, const std::vector<Index>& globals,
                        const Mask& padding);

// ---- decoding ----------------------------------------------------------------------------------------------------

/// Keys and values of the last w tokens. The token at position p is in slot p % w, so each new one takes the place of
/// the one that leaves the window.                                                        [Jiang et al. 2023, §2.1]
/// A copy of a cache is a cache of its own (a beam search makes many), but its tensors are views of the same storage.
/// So write into that storage only where nobody else sees it: k.owns_storage() is true where no other tensor shares the
/// numbers of k, and k is all of its storage, row-major. Ask the cache's k and its v, each before you make a slice of
/// it. Where the answer is false, k = cat({k}, 0) is a copy that owns its storage. The cache never holds more than w
/// tokens.
struct RingCache {
    Tensor k;        ///< (B, H, w, d)
    Tensor v;        ///< (B, H, w, d_v)
    Index next = 0;  ///< position of the next token; while it is below w, slots from it on hold anything finite
};

/// An empty cache: zeros, and next is 0.
RingCache make_ring(Index B, Index H, Index w, Index d, Index d_v);

/// Takes in n more tokens, which may be more than w: of those the last w stay. next moves on by n.
/// @param k  (B, H, n, d)   @param v  (B, H, n, d_v); neither is part of the cache
/// @throws std::invalid_argument if a shape does not fit; the cache is then as it was
void ring_append(RingCache& cache, const Tensor& k, const Tensor& v);

/// Causal attention of n new tokens, each to itself and the w - 1 tokens before it, as if all had been kept; then the
/// cache has taken them in. Mind that the first of them still sees tokens that the last will push out.
/// @param q, k  (B, H, n, d)   @param v  (B, H, n, d_v); none of the three is part of the cache
/// @return (B, H, n, d_v)
/// @throws std::invalid_argument if a shape does not fit; the cache is then as it was
Tensor ring_decode(RingCache& cache, const Tensor& q, const Tensor& k, const Tensor& v);

// ---- how far layers reach together -------------------------------------------------------------------------------

/// Which tokens can influence which by attention alone, through L layers that all have this mask: open where a way of
/// exactly L steps leads from token s to token t, each from a token to one that sees it. For two layers: t sees some u
/// that sees s.
/// @param mask  (S, S), of a few dozen tokens   @param layers  any number from 1 on: over a thousand are asked
/// @return (S, S): true where s cannot influence t
/// @throws std::invalid_argument if the mask is not square or layers < 1
Mask reach(const Mask& mask, Index layers);

/// How many tokens, itself included, can influence one through L layers of causal windows: each adds w - 1.
/// @throws std::invalid_argument if w < 1 or layers < 1
Index window_reach(Index w, Index layers);

}  // namespace headway::ex11
