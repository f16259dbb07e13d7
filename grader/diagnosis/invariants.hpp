#pragma once

#include "diagnosis/answer.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What must hold of attention, whatever its numbers: asked where no mistake of the catalogue explains a function.
namespace headway::diagnosis {

/// Two questions whose answers are tied to each other.
struct Invariant {
    std::string broken;  ///< what to say if they are not
    /// The first question, made from one of the function's questions; nothing if that does not fit.
    std::function<std::optional<judge::Arguments>(const judge::Arguments&)> first;
    std::function<judge::Arguments(const judge::Arguments& first)> second;
    /// What must be equal: `of_first` of the first answer and `of_second` of the second.
    std::function<Array(const Array&)> of_first;
    std::function<Array(const Array&)> of_second;
};

/// How the answer follows when tokens change places.
enum class Follows { not_at_all, columns, rows };

/// The tokens of these tensors (last axis but one) change places together: keys with their values, say.
Invariant permuted_tokens(const std::vector<std::string>& tensors, Follows follows, std::string broken);

/// Under a causal mask, of `tensors` the last token changes; no output but the last may.
Invariant unseen_future(const std::vector<std::string>& tensors);

/// The sentences of the invariants that the function breaks.
using Ask = std::function<Answer(const judge::Arguments&)>;
std::vector<std::string> broken_invariants(const std::vector<Invariant>& invariants, const Ask& ask,
                                           const std::vector<judge::Arguments>& questions);

}  // namespace headway::diagnosis
