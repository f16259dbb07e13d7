#pragma once

#include "diagnosis/conditions.hpp"

#include <functional>
#include <string>
#include <vector>

/// Where along an axis something may end too early, in words.
namespace headway::diagnosis {

/// How far along an axis of size n something goes on: up to `of`, which is n where it goes to the end.
struct Bound {
    std::string beyond;  ///< "{} from number T on {}": the slices, and what becomes of them
    std::function<Index(const Facts&, Index n)> of;
};

/// Those that end before the axis does in a call like this.
std::vector<Bound> bounds(const Facts& like, const std::string& axis);

/// "keys from number T on are never read"
std::string beyond(const Bound& bound, const std::string& slices, const std::string& what_becomes);

/// What the slices of an axis are: "key", of the axis S. The rows of x and of its gradient are tokens.
std::string slice_of(const std::string& axis, const std::string& tensor = {});
std::string slices_of(const std::string& axis, const std::string& tensor = {});

}  // namespace headway::diagnosis
