#pragma once

#include "wire/value.hpp"

#include <headway/tensor.hpp>

#include <map>
#include <optional>
#include <string>

namespace headway::judge {

// What experiments make of a question or an answer, to see whether a test then passes.

/// How many elements experiments may still copy, over all questions of a run. A question of a few bytes may have
/// millions of elements.
class ElementsLeft {
public:
    /// @return whether so many elements were left
    bool take(Index elements);

private:
    static constexpr Index most_of_a_question = Index{1} << 22, most = Index{1} << 26;
    Index left_ = most;
};

/// Of an answer or a question; null if there is none of that name.
const Tensor* tensor_in(const wire::Value& value, const char* part);

/// A record's tensors, each changed.
wire::Value with_tensors(wire::Value answer, Tensor (*change)(const Tensor&));

/// Row-major.
Tensor row_major(const Tensor& x);

/// Row-major, too: that alone was tried before.
Tensor without_negative_zeros(const Tensor& x);

/// The answer, its weights (B, T, H, S).
wire::Value with_queries_before_heads(wire::Value answer);

/// What is worth knowing of "index 4 is out of range for axis 2 of size 3, shape (2, 4, 3, 5)": a shape of four axes is
/// that of weights or of a mask. Else nothing.
std::string what_an_axis_counts(const std::string& words);

/// Where a test's own code threw: what to change, if the library's words are known. Empty if not.
std::string what_to_change_in_a_test(const std::string& words);

/// The question, with 0 for each number that is too large, infinite or none; nothing if there is no such number, or not
/// so many elements are left.
std::optional<wire::Value> within_the_promise(const wire::Value& question, ElementsLeft& left);

/// A question whose mask has the sequences where (B, H, T, S) has heads or queries.
struct SequencesFirst {
    wire::Value question;  ///< with 1s put in behind the sequences
    Shape was, is;         ///< of the mask
};

/// Nothing if its mask can only be meant as it is, or not so many elements are left.
std::optional<SequencesFirst> with_sequences_first(const wire::Value& question, ElementsLeft& left);

/// What is wrong with masks that were meant to have the sequences first.
std::string where_masks_meet(const std::map<Shape, Shape>& meant);

/// The answer, with an output of 0 for each query whose heads give no key any weight.
wire::Value without_bias_of_the_blind(wire::Value answer);

}  // namespace headway::judge
