#pragma once

#include "blocks.hpp"

#include <set>
#include <string>
#include <vector>

namespace headway::lessons {

/// A lesson as it should be, and what was wrong with it as it was.
struct Rewritten {
    std::string page;
    std::vector<std::string> disagreements;  ///< what rewriting mends
    std::vector<std::string> mistakes;       ///< what only a person can mend: unknown names, markers without an end
    std::set<std::string> used;              ///< the names the lesson shows
};

/// Fills in what stands between `<!-- computed: NAME -->` and `<!-- end -->`.
/// @param file  for messages
Rewritten rewrite(const std::string& file, const std::string& page, const Blocks& blocks);

}  // namespace headway::lessons
