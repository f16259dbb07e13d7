#pragma once

#include "diagnosis/search.hpp"

#include <headway/random.hpp>

#include <optional>
#include <set>
#include <string>
#include <vector>

/// Calls like one that was asked, but for one thing: what an answer depends on is seen where nothing else changes.
namespace headway::diagnosis {

/// What calls of a function leave open, as far as those that were asked show it.
struct Freedom {
    bool without_mask = false, with_mask = false;
    std::set<std::string> options = {};  ///< that were set in some calls and not in others
};
Freedom freedom_in(const std::vector<Observation>& observations);

/// The same call with one head; nothing where it has one already, or where heads are not a number of their own.
std::optional<judge::Arguments> with_one_head(judge::Arguments arguments);

/// The same call with one head, with one query or one key, without its mask or with another, with an option the other
/// way round, and with its tensors contiguous, or one of them not.
std::vector<judge::Arguments> variations(const judge::Arguments& like, const Freedom& freedom, Random& random);

}  // namespace headway::diagnosis
