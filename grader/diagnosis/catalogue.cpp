#include "diagnosis/catalogue.hpp"

#include "diagnosis/chapters.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace headway::diagnosis {
namespace {

struct Catalogue {
    std::vector<Mistake> mistakes;
    std::map<std::string_view, std::size_t> position;
    std::map<std::string_view, Decision> decisions;

    Catalogue() {
        for (const Chapter& chapter : chapters::all()) {
            for (const Decision& decision : chapter.decisions)
                if (!decisions.emplace(decision.id, decision).second)
                    throw std::logic_error("two decisions " + std::string(decision.id));
            for (const Mistake& mistake : chapter.mistakes) {
                if (!position.emplace(mistake.id, mistakes.size()).second)
                    throw std::logic_error("two mistakes " + std::string(mistake.id));
                mistakes.push_back(mistake);
            }
        }
    }
};

const Catalogue& catalogue() {
    static const Catalogue all;
    return all;
}

}  // namespace

const Section* Decision::section_of(std::string_view exercise) const {
    const auto* found = std::find_if(lesson.begin(), lesson.end(),
                                     [&](const Section& section) { return section.exercise == exercise; });
    return found == lesson.end() ? nullptr : found;
}

const std::vector<Mistake>& mistakes() { return catalogue().mistakes; }

const Decision& decision(std::string_view id) {
    const auto found = catalogue().decisions.find(id);
    if (found == catalogue().decisions.end()) throw std::out_of_range("no decision " + std::string(id));
    return found->second;
}

const Mistake& mistake(std::string_view id) {
    const auto found = catalogue().position.find(id);
    if (found == catalogue().position.end()) throw std::out_of_range("no mistake " + std::string(id));
    return mistakes()[found->second];
}

std::size_t position_in_catalogue(const Mistake& mistake) { return catalogue().position.at(mistake.id); }

}  // namespace headway::diagnosis
