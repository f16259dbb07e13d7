#pragma once

#include "suites/11_long_texts/growth.hpp"
#include "suites/11_long_texts/inputs.hpp"

#include <optional>

/// What attention over long texts costs, measured from outside: ratios of one text to one four times as long.
namespace headway::judge::long_texts {

/// Texts of T = S tokens, H heads, a narrow window, two global tokens.
Inputs long_inputs(Random& random, Index T, Index H = 1);

/// Expects some rows of the answer to such a question.
void expect_some_rows(Student& student, Random& random, const Inputs& in, const Tensor& context);

/// @return nothing where the kernel does not tell
std::optional<Memory> memory_of_long_texts(Student& student, Random& random, Index T);

/// What wide keys and values take in a text of one length.
struct WideMemory {
    std::uint64_t taken;    ///< bytes beside arguments and result
    std::uint64_t allowed;  ///< a few numbers per query and key of its window, and copies of all that was given
    std::uint64_t copies;   ///< what the keys of all windows take, each of them copied
};
/// @return nothing where the kernel does not tell
std::optional<WideMemory> memory_of_wide_tokens(Student& student, Random& random);

/// Texts as long as it takes for calls to be measurable. Where it stays unclear after several rounds, the machine may
/// be in trouble: nobody is accused.
Times times_of_long_texts(Student& student, Random& random);

}  // namespace headway::judge::long_texts
