#pragma once

#include "verdict/verdict.hpp"

#include <set>
#include <string>

namespace headway::cli {

/// The functions that a test called besides this one, as its story tells.
inline std::set<std::string> called_besides(const std::string& function, const verdict::Failure& failure) {
    std::set<std::string> called;
    for (const std::string& line : failure.story) called.insert(line.substr(0, line.find('(')));
    called.erase(function);
    return called;
}

}  // namespace headway::cli
