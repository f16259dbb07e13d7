#pragma once

#include "suites/11_long_texts/inputs.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// What attention over long texts costs, measured from outside: ratios of one text to one four times as long.
namespace headway::judge::long_texts {

/// Texts of T = S tokens, one head, a narrow window, two global tokens.
Inputs long_inputs(Random& random, Index T);

/// Expects some rows of the answer to such a question.
void expect_some_rows(Student& student, Random& random, const Inputs& in, const Tensor& context);

/// Bytes beside arguments and result.
struct Memory {
    std::uint64_t of_short, of_long;  ///< for T and 4·T tokens
    std::uint64_t scores;             ///< what all scores of the longer would take
    /// What grows with T becomes four times as much, what grows with T·T sixteen times. A little is never much.
    bool is_linear() const;
};

/// @return nothing where the kernel does not tell
std::optional<Memory> memory_of_long_texts(Student& student, Random& random, Index T);

/// Processor time of calls for T and 4·T tokens.
struct Times {
    std::vector<double> of_short, of_long;  ///< in milliseconds
    Index T = 0;
    double ratio() const;  ///< of the medians
    /// Four for what grows with T, sixteen for what grows with T·T: between them nothing is said. Medians and the
    /// quickest calls, which the machine's trouble delays least, must agree.
    enum class Growth { linear, quadratic, unclear };
    Growth growth() const;
};

/// Texts as long as it takes for calls to be measurable. Where it stays unclear after several rounds, the machine may
/// be in trouble: nobody is accused.
Times times_of_long_texts(Student& student, Random& random);

}  // namespace headway::judge::long_texts
