#pragma once

#include <string>

namespace headway::judge {

// What the words of a test that failed show by themselves.

/// Whether they show two numbers that differ in the last digits alone.
/// @param most  of the larger
bool differs_in_last_digits(const std::string& words, double most = 1e-4);

/// Whether two tests say the same, with numbers to four digits: right attentions differ in the last ones.
bool says_the_same(const std::string& one, const std::string& other);

/// Whether they are of an EXPECT_NEAR that bears less than the header promises of large scores, and saw no more than
/// that.
bool bears_less_than_large_scores_get(const std::string& words);

}  // namespace headway::judge
