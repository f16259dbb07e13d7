#include "build/defined_functions.hpp"

#include <sstream>

namespace headway::build {

std::vector<std::string> functions_listed(const std::string& nm_output) {
    constexpr std::size_t kind = 17;
    constexpr std::size_t name = 19;
    std::vector<std::string> names;
    std::istringstream lines(nm_output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > name && (line[kind] == 'T' || line[kind] == 'W' || line[kind] == 't'))
            names.push_back(line.substr(name));
    return names;
}

}  // namespace headway::build
