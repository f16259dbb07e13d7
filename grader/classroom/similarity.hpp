#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Which hand-ins are alike in more than the task explains. A list to look at, never a verdict: on short exercises
/// honest solutions are alike.
namespace headway::classroom {

/// A program without its names, numbers, comments and layout: keywords and punctuation stay, in macros too.
std::vector<std::string> tokens_of(std::string_view text);

/// Fingerprints by winnowing [Schleimer, Wilkerson, Aiken 2003]: of two programs that share a run of 24 tokens, both
/// have a fingerprint of it.
using Fingerprints = std::set<std::uint64_t>;
Fingerprints fingerprints_of(const std::vector<std::string>& tokens);

struct Document {
    std::string source;  ///< digest
    Fingerprints prints;
};

struct Alike {
    std::size_t a = 0;  ///< indices of documents
    std::size_t b = 0;
    double share = 0;        ///< of the fingerprints of the one that has fewer
    std::size_t common = 0;  ///< how many
};

/// Most alike first. What is in `given` (the starter code), or in more than a fifth of all documents (20 at most), does
/// not count; those that are nearly the same count as one, and are named with the first of them.
std::vector<Alike> find_alike(const std::vector<Document>& documents, const Fingerprints& given);

}  // namespace headway::classroom
