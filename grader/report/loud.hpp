#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verdict/verdict.hpp"

/// What is said of functions that gave no answer at all.
namespace headway::report {

/// Whether a function failed by giving no answer at all.
bool is_loud(verdict::FailureKind kind);

/// How a function that no mistake's name fits does not answer at all, which is seen before any number is looked at.
struct LoudFailure {
    const verdict::Failure* failure;
    std::string headline;  ///< "attention_scores threw where it should answer: q and k differ (std::invalid_argument)"
    std::string where;     ///< the line of the student's file; empty if it is not known
    std::string way;       ///< how the function got there, if that line is another's; else empty
    std::string advice;    ///< what to change; empty if that is not known
    std::string asked;     ///< the call; empty if it is not known
    bool always = true;    ///< no property failed because of an answer of this function
};

/// Of the first property that failed so; nothing if it always answered.
std::optional<LoudFailure> loud_failure(const verdict::Exercise& exercise, const std::string& function);

/// What a mistake whose name is that it throws where it should answer threw, and at which line; nothing for others.
std::optional<LoudFailure> throw_behind(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake);

/// The line of the memory that the first function of a mistake reads before anything was written to it, if that is the
/// mistake and the line is known.
std::optional<verdict::SourceLine> memory_read_too_early(const verdict::Exercise& exercise,
                                                         const verdict::NamedMistake& mistake);

/// That line; or the one at which the first function of a mistake was stopped, and the way there; or what the compiler
/// warned of within it. Empty if none is known.
std::vector<std::string> stopped_at(const verdict::Exercise& exercise, const verdict::NamedMistake& mistake);

}  // namespace headway::report
