#pragma once

#include "diagnosis/examination.hpp"
#include "diagnosis/search.hpp"

#include "verdict/verdict.hpp"

#include <cstdint>

namespace headway::diagnosis {

/// A call that the hidden tests made, and its answer.
struct AnsweredCall {
    std::string function;
    judge::Arguments arguments;
    Answer answer;
};

/// Names what is wrong with a submission, function by function, from its answers alone.
///
/// Each function is asked questions of its own. What its answers show of memory is named from that evidence; what they
/// show of attention is searched for in the model. A set of mistakes is named only if it reproduces every answer,
/// including those that the hidden tests got; where several sets do, further questions tell them apart.
/// @param told  "function: what a hidden test says of it in words": a name where the numbers show none
verdict::Diagnosis diagnose(const std::string& exercise, const Workers& workers, const std::vector<AnsweredCall>& calls,
                            const std::vector<std::string>& told, std::uint64_t seed, const SearchLimits& limits = {});

}  // namespace headway::diagnosis
