#pragma once

#include "verdict/verdict.hpp"

#include <set>
#include <string>

namespace headway::cli {

/// "forward (dropout)" -> "forward"
inline std::string name_alone(const std::string& function) { return function.substr(0, function.find(" (")); }

/// What a test called besides this function, as its story tells.
inline std::set<std::string> called_besides(const std::string& function, const verdict::Failure& failure) {
    std::set<std::string> called;
    for (const std::string& line : failure.story) called.insert(line.substr(0, line.find('(')));
    called.erase(function);
    return called;
}

}  // namespace headway::cli
