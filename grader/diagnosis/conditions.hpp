#pragma once

#include "student/student.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a call was asked with, in the words of attention: its sizes and options, and what can be said of them.
namespace headway::diagnosis {

struct Facts {
    std::map<std::string, Index> size;  ///< "T", "d_v"
    /// Options, in words: what it is called if it is set, and if it is not.
    std::map<std::pair<std::string, std::string>, bool> flag;
};

/// Of a mask whose axis of the sequences is longer than 1, whatever it blocks.
inline constexpr const char* tells_sequences_apart = "the mask tells sequences apart";

/// How what is said of the layout of a tensor ends, behind its name. Of one that is not given, nothing is said.
inline constexpr const char* not_contiguous = " is not contiguous";

/// Of a cache whose keys and values are given together or not at all.
inline constexpr const char* the_cache_is_empty = "the cache holds nothing yet";

/// Whether a condition says that an argument that may be left out is not given.
bool says_not_given(std::string_view words);

Facts facts_of(const judge::Arguments& arguments);

/// What the axes of an argument are called, such as {"B", "H", "T", "d"} for q; empty if that is not known.
std::vector<std::string> axes_of(const std::string& argument, std::size_t rank);

struct Condition {
    std::string words;
    std::function<bool(const Facts&)> holds;
    bool compares = false;    ///< one size with another
    bool of_sizes = false;    ///< it speaks of sizes, of which there are many, and not of options
    std::string beyond = {};  ///< the size that is longer than in any right answer, if that is what it says
};

/// That two conditions hold, in words: "a mask is given and the mask has one axis".
std::string both_hold(const std::string& a, const std::string& b);

/// What holds of the calls that were answered wrong, and not of all: the simplest first.
/// @param wrong  which of the calls were
std::vector<Condition> conditions_of(const std::vector<Facts>& facts, const std::vector<bool>& wrong);

}  // namespace headway::diagnosis
