#pragma once

#include "suites/06_catch_the_bug/trial.hpp"

#include <cstdint>
#include <string>

namespace headway::judge {

// Why tests say what they say, found by running them once more. Nothing here decides a point. Each answers a sentence,
// with a space before it, or nothing: where it does not know, or where the tests took long.

struct Unnoticed {
    std::string words = {};
    bool shows = true;  ///< something that the tests ask shows the mistake, or that is not known
};

/// An answer as a test that fails right ones should have taken it.
using Mend = wire::Value (*)(wire::Value answer);

/// Why no test fails this wrong attention: were they asked nothing that it gets wrong, or did they not see it?
/// @param name  what the sentence calls the attention: "It"
/// @param mend  if known, what tests that fail right ones do not bear: what they would say without that is told
Unnoticed why_unnoticed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met,
                        const std::string& name, Mend mend = nullptr);

struct Unfair {
    std::string words = {};
    Mend mend = nullptr;  ///< with its answers so, the right attention passes that test
};

/// Why the first test that fails this right attention does.
Unfair why_failed(const Student& student, std::uint64_t seed, const Trial& trial, const Encounter& met);

}  // namespace headway::judge
