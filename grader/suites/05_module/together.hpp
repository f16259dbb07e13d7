#pragma once

#include "student/sweep.hpp"
#include "suites/05_module/attention_object.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headway::judge {

/// Where keys and values come from: the queries themselves, or elsewhere, as many, fewer or more than the queries.
enum class Keys { the_queries, as_many, fewer, more };
/// Of the mask, the causal option, head_dim and bias.
enum class Chosen { no, yes };

/// Options of a module and of a call, together.
struct Together {
    Chosen masked, causal, head_dim, bias;
    Keys keys;
    std::size_t mode;  ///< what else the question has to choose from

    /// Of a model that is wider than its heads where head_dim is chosen.
    ObjectOptions options(Random& random, Index H, Index d) const;
    Index more_keys(Index T, Index by) const;  ///< S
};

/// A module with known parameters; nothing where it cannot be made or does not take them, which others ask for.
std::optional<AttentionObject> loaded(Student& student, Random& random, const ObjectOptions& options);

/// Inputs for such a call. In self-attention, query, key and value hold the same numbers.
Question question_together(Random& random, const Together& choice, const ObjectOptions& options, Index B, Index T,
                           Index S);

/// What forward answers; self-attention is asked with one and the same tensor.
Tensor answer_together(AttentionObject& object, const Together& choice, const Question& question);

using Wanted = std::function<bool(const Together&)>;

/// Asks in turn with options together, of those that are wanted: every three of them in every combination, in few rows.
/// What one option does wrong beside two others shows.
/// @param modes  in words
void ask_together(Student& student, Random& random, const std::vector<std::string>& modes, const Wanted& wanted,
                  const std::function<void(const Together&, Random&)>& ask);

}  // namespace headway::judge
