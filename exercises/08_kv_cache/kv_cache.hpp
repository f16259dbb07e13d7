#pragma once

#include <headway/given.hpp>
#include <headway/nn.hpp>
#include <headway/tensor.hpp>

#include <vector>

// Exercise 08: decoding with a cache. A causal model never changes its mind about the past: keys and values of tokens
// that it has seen stay what they are, so each is computed once and kept.
//                 B batch · n new tokens · S keys · D embed_dim · H num_heads · d head_dim · E = H·d · C capacity
//
// Sequences of a batch may have different lengths: each call brings n tokens for every sequence, of which the first
// counts[b] are real and the rest is padding. Everything in <headway/given.hpp> is yours to use.
// Nothing but the cache is changed, and what was returned stays as it was; tensors may be views of any strides. Sizes
// are at least 1 and ranks as named, except where a @throws names others; lengths and counts may be 0, all of them too.
// Numbers are finite, those of padding and past the end of a sequence too.
namespace headway::ex08 {

/// Keys and values of the tokens seen so far. The caller has a cache from make_cache, or makes one whose k and v are
/// row-major, each in a storage of its own.
struct Cache {
    Tensor k;                    ///< (B, H, C, d)
    Tensor v;                    ///< (B, H, C, d)
    std::vector<Index> lengths;  ///< B: sequence b fills positions [0, lengths[b]); what is past that never counts
};

/// The four learned maps of exercise 05, ready made: q_proj, k_proj, v_proj (D -> E) and out_proj (E -> D).
struct Projections : nn::Module {
    Projections(Index D, Index E, Random random)
        : q_proj(D, E, nn::Bias::yes, random),
          k_proj(D, E, nn::Bias::yes, random),
          v_proj(D, E, nn::Bias::yes, random),
          out_proj(E, D, nn::Bias::yes, random) {
        register_module("q_proj", q_proj);
        register_module("k_proj", k_proj);
        register_module("v_proj", v_proj);
        register_module("out_proj", out_proj);
    }

    nn::Linear q_proj, k_proj, v_proj, out_proj;
};

/// An empty cache: zeros, every length 0. Strides are up to you, but no two of its numbers share a place in memory.
/// @throws std::invalid_argument unless all four are at least 1
Cache make_cache(Index B, Index H, Index capacity, Index d);

/// Writes the first counts[b] tokens of sequence b after what is there, in place: k and v keep their storage.
///     cache.k[b, h, lengths[b] + t] = k[b, h, t]   for t < counts[b], v alike;   then lengths[b] += counts[b]
/// @param k, v  (B, H, n, d)   @param counts  B numbers in [0, n]; none of the three is part of the cache
/// @throws std::invalid_argument if a size, a count or the number of counts does not fit (no size of 1 broadcasts, not
///         even one head), or a sequence would outgrow the capacity; the whole cache, lengths included, is then as it
///         was
void append(Cache& cache, const Tensor& k, const Tensor& v, const std::vector<Index>& counts);

/// New token t of sequence b is at position lengths[b] + t and sees every position up to its own: true (may not
/// attend) where s > lengths[b] + t.        @param lengths  B, before the new tokens, none negative
/// @param S  at least 1. Where it is below lengths[b] + n for some b, the last of the n tokens have no position: they
///        may be padding. The formula holds there too; or throw std::invalid_argument, if your own decode never asks
///        for such an S.
/// @return (B, 1, n, S)
Mask decoding_mask(const std::vector<Index>& lengths, Index n, Index S);

/// Causal self-attention of the new tokens: what forward of exercise 05 gives for them if it is given each sequence
/// whole, from its first token on. Only the new tokens go through the projections, whatever the cache holds: remember
/// that k and v of older tokens are there. In one call nn::Linear::forward may map 4·B·n rows at most; you may leave
/// padding out, or multiply by the weights yourself. Scores of ±1e4 overflow nothing.
/// @param x  (B, n, D)   @param projections  their E is H·d of the cache; no others are asked
/// @param counts  as for append
/// @return (B, n, D); rows t >= counts[b] belong to padding, and may hold anything
/// @throws std::invalid_argument if x is not of rank 3 (std::out_of_range is right too), its B or D, a count or the
///         number of counts does not fit, or a sequence would outgrow the capacity; the cache is then as it was
Tensor decode(Cache& cache, const Projections& projections, const Tensor& x, const std::vector<Index>& counts);

}  // namespace headway::ex08
