#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::judge {

nlohmann::json list(const std::string& exercise) {
    nlohmann::json document = nlohmann::json::array();
    const Suite& suite = suite_of(exercise).second;
    for (const Property& one : suite.properties) {
        document.push_back({{"name", one.name}, {"property", one.sentence}, {"points", one.points}});
        if (const auto states = suite.states.find(one.name); states != suite.states.end())
            document.back()["states"] = states->second;
    }
    return document;
}

nlohmann::json catalogue() {
    nlohmann::json document = nlohmann::json::array();
    for (const diagnosis::Mistake& mistake : diagnosis::mistakes())
        if (!mistake.equivalent)
            document.push_back({{"id", mistake.id},
                                {"title", mistake.title},
                                {"decision", mistake.decision},
                                {"stage", to_string(diagnosis::decision(mistake.decision).stage)}});
    return document;
}

}  // namespace headway::judge
