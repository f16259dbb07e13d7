#pragma once

#include "classroom/similarity.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headway::classroom {

/// A passage that two programs have in common: tokens [a, a + length) of the one are [b, b + length) of the other.
struct Passage {
    std::size_t a = 0;
    std::size_t b = 0;
    std::size_t length = 0;
};

/// The longest passages first, none overlapping another, as greedy string tiling finds them [Wise 1993]. What is given
/// to all students is no passage.
std::vector<Passage> passages_of(const std::vector<Token>& a, const std::vector<Token>& b,
                                 const CommonKnowledge& common);

/// A line of a program, and the passage that most of it belongs to.
struct MarkedLine {
    std::string text;
    std::optional<std::size_t> passage;
};

struct MarkedFile {
    std::string name;
    std::vector<MarkedLine> lines;
    bool cut_off = false;  ///< it goes on: nobody reads as much
};

/// Two programs with what they have in common; passages are numbered in the order of the first.
struct SideBySide {
    std::vector<MarkedFile> a;
    std::vector<MarkedFile> b;
};
SideBySide compare(const std::vector<build::SourceFile>& a, const std::vector<build::SourceFile>& b,
                   const GivenNames& names, const CommonKnowledge& common);

}  // namespace headway::classroom
