#pragma once

#include "suites/05_module/together.hpp"

#include <functional>
#include <optional>
#include <string>

/// What the hidden tests of exercise 05 ask modules, and expect of them.
namespace headway::judge {

inline const CheckedPart output_axes{"outputs", Stage::output, {"b", "token", "feature"}};
inline const CheckedPart weights_axes{"attention weights", Stage::softmax, {"b", "h", "query", "key"}};

/// Right, or right given the student's own attention_weights.
/// @return the difference, if it is neither
std::optional<verdict::Failure> forward_difference(AttentionObject& object, const Question& question,
                                                   const Tensor& output);

/// What is asked for on top of plain self-attention.
void expect_forward(AttentionObject& object, const Question& question, const Tensor& output);
void expect_forward(AttentionObject& object, const Question& question);

/// Plain self-attention itself.
void expect_self_attention(AttentionObject& object, const Tensor& x);
/// With large scores, if attention_weights takes these: else another test says so.
void expect_large_scores(AttentionObject& object, const Tensor& x);

/// Queries whose scores are large and, in half of the rows, all negative: keys that differ little, long queries.
Question large_question(Random& random, const Sizes& n);

/// Scores that lie far apart, the largest of every other row blocked: who measures the others against it loses them.
Question towering_question(Random& random, const Sizes& n, const AttentionObject& object);

/// With a mask and, by parameters that are loaded for it, scores of about -1e4.
Question low_question(Random& random, const Sizes& n, AttentionObject& object);

/// After calls of other lengths, a causal module answers as a fresh one.
void expect_as_fresh_for_other_lengths(Student& student, Random& random, const Sizes& n);

enum class Masked { no, yes };

/// Asks objects in eval of all sizes, most with biases; with a mask of any form and causal or not, if that is asked
/// for.
void ask_objects(Student& student, Random& random, const std::string& axes, Masked masked,
                 const std::function<void(AttentionObject&, const Question&, Random&)>& ask);

/// Asks small objects with options together, in eval and in training.
void ask_small(Student& student, Random& random, double dropout, const Wanted& wanted,
               const std::function<void(AttentionObject&, const Together&, const Question&)>& ask);

}  // namespace headway::judge
