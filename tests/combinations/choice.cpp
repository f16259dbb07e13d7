#include "mistakes.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace headway::combinations {
namespace {

std::vector<bool>& chosen() {
    static std::vector<bool> set(mistakes().size());
    return set;
}

const Entry& entry(const std::string& name) {
    const auto& all = mistakes();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.name == name; });
    if (found == all.end()) throw std::invalid_argument("no such mistake: " + name);
    return *found;
}

}  // namespace

bool made(Mistake mistake) { return chosen().at(static_cast<std::size_t>(mistake)); }

void choose(const std::vector<std::string>& names) {
    std::vector<bool> set(mistakes().size());
    std::set<std::string> groups;
    for (const std::string& name : names) {
        const Entry& next = entry(name);
        if (!groups.insert(next.group).second)
            throw std::invalid_argument("two mistakes of the group " + next.group + ", one of them " + name);
        set.at(static_cast<std::size_t>(next.mistake)) = true;
    }
    chosen() = std::move(set);
}

void choose_listed(const std::string& names) {
    std::vector<std::string> list;
    std::istringstream in(names);
    for (std::string name; std::getline(in, name, ',');) list.push_back(name);
    choose(list);
}

}  // namespace headway::combinations
