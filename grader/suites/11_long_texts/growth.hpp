#pragma once

#include <headway/layout.hpp>

#include <cstdint>
#include <vector>

/// How what was measured for a text compares with what was measured for one four times as long.
namespace headway::judge::long_texts {

/// Bytes beside arguments and result.
struct Memory {
    std::uint64_t of_short, of_long;  ///< for T and 4·T tokens
    std::uint64_t scores;             ///< what all scores of the longer would take
    /// What grows with T becomes four times as much, what grows with T·T sixteen times. A little is never much.
    bool is_linear() const;
};

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

}  // namespace headway::judge::long_texts
