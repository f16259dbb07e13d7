#include "diagnosis/catalogue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace headway::diagnosis {
namespace {

std::vector<Mistake>& all_mistakes() {
    static std::vector<Mistake> all;
    return all;
}

std::map<std::string, Decision>& all_decisions() {
    static std::map<std::string, Decision> all;
    return all;
}

}  // namespace

CatalogueEntry::CatalogueEntry(Decision decision) {
    const std::string id = decision.id;
    if (!all_decisions().emplace(id, std::move(decision)).second) throw std::logic_error("two decisions " + id);
}

CatalogueEntry::CatalogueEntry(Mistake mistake) {
    for (const Mistake& other : all_mistakes())
        if (other.id == mistake.id) throw std::logic_error("two mistakes " + mistake.id);
    all_mistakes().push_back(std::move(mistake));
}

const std::vector<Mistake>& mistakes() { return all_mistakes(); }

const Decision& decision(const std::string& id) { return all_decisions().at(id); }

const Mistake& mistake(const std::string& id) {
    const auto& all = all_mistakes();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Mistake& one) { return one.id == id; });
    if (found == all.end()) throw std::out_of_range("no mistake " + id);
    return *found;
}

}  // namespace headway::diagnosis
