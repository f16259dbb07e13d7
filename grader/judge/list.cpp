#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "diagnosis/catalogue.hpp"

namespace headway::judge {

nlohmann::json list(const std::string& exercise) {
    nlohmann::json document = nlohmann::json::array();
    for (const Property& one : suite_of(exercise).second.properties)
        document.push_back({{"name", one.name}, {"property", one.sentence}, {"points", one.points}});
    return document;
}

nlohmann::json catalogue() {
    nlohmann::json document = nlohmann::json::array();
    for (const diagnosis::Mistake& mistake : diagnosis::mistakes())
        if (!mistake.equivalent)
            document.push_back({{"id", mistake.id}, {"title", mistake.title}, {"decision", mistake.decision}});
    return document;
}

}  // namespace headway::judge
