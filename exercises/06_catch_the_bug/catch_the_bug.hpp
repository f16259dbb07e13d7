#pragma once

#include <headway/mask.hpp>
#include <headway/random.hpp>
#include <headway/tensor.hpp>

#include <gtest/gtest.h>

// Exercise 06: write the tests. The attention is somebody else's; you see what it answers and nothing else.
//                        B batch · T queries · S keys · D embed_dim · H num_heads · d head_dim · E = H·d
//
// Write TESTs in catch_the_bug.cpp. The grader runs all of them against many attentions, one after another, in an order
// that is not yours to know: right ones, written in different styles, and wrong ones, each with a mistake that shipped
// in real software. What counts is what you catch: a property is caught if each attention that gets it wrong fails some
// test that passes with every right one. Each right attention that some test of yours fails costs one of these, so one
// test that is too strict for all of them may cost all. Some attentions are met twice: a set whose tests have other
// names each time, or in which a test passes and then fails with the same attention, catches nothing.
// <headway/given.hpp> is not available.
namespace headway::ex06 {

/// What multi-head attention is given. Sizes are yours to choose, from 1 on, up to 2^20 scores (B·H·T·S),
/// 2^22 numbers in all its tensors and 2^26 multiply-adds in a call.
struct Inputs {
    Tensor query;                         ///< (B, T, D)
    Tensor key, value;                    ///< (B, S, D)
    Tensor w_q, w_k, w_v;                 ///< (D, E), used as x · w
    Tensor b_q = {}, b_k = {}, b_v = {};  ///< (E); Tensor{}: none
    Tensor w_o;                           ///< (E, D)
    Tensor b_o = {};                      ///< (D); Tensor{}: none
    Index num_heads = 1;
    Mask mask = {};       ///< true = may not attend; broadcastable to (B, H, T, S), so three axes are (H, T, S);
                          ///< Mask{}: nothing is blocked
    bool causal = false;  ///< blocks s > t + (S - T), in addition to the mask: the last query sees every key
};

struct Attended {
    Tensor output;   ///< (B, T, D)
    Tensor weights;  ///< (B, H, T, S): what the values were weighted with, head by head
};

/// The attention under test. A right one computes, with q = query·w_q + b_q and so on, where head h has the features
/// [h·d, (h + 1)·d) of each,
///
///     weights = softmax over keys of q·kᵀ / √d, where a blocked key has a weight of exactly 0
///     output  = (weights · v of every head, side by side)·w_o + b_o
///
/// in float32: answers are right to about five digits of the largest number involved where the scores of open keys are
/// below 10 in size and there are at most 4096 of them. Up to ±3e4, in heads of at most 64 features, weights are right
/// to 0.01, the weights of a query sum to 1 to 0.001 (or are zeros, below), keys with equal features get weights that
/// differ by 0.001 at most, and the output follows from these weights to five digits of the largest number in its sums.
/// How large a blocked key, its score or its value is does not matter where it is blocked. A query that may see no key
/// has weights of zero, so that its output is b_o, or 0 without one. Keep all numbers and their products below 1e37 in
/// size: what 0 · infinity gives is nobody's promise. No call depends on an earlier one, and none changes its inputs or
/// an earlier answer. Any strides may come in; any may come out.
///
/// Left open are the digits after those, the strides of an answer, the sign of a zero and the words of an exception.
/// Right attentions differ in them, in other ways at each grading.
///
/// Ask inside a TEST only, of whatever kind; a fixture's constructor and SetUp are part of it. With one attention all
/// tests together may ask 2000 times and compute for one second, in which the time of attention() does not count; where
/// they crash or do not end, they fail a right attention and catch no wrong one.
/// @throws std::invalid_argument if a shape does not fit or num_heads does not divide E. Every attention does
///         so; no property depends on it
Attended attention(const Inputs& inputs);

}  // namespace headway::ex06
