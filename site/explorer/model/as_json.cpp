#include "as_json.hpp"

#include "trace.hpp"

#include <diagnosis/catalogue.hpp>
#include <verdict/names.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string_view>

namespace headway::explorer {
namespace {

using nlohmann::json;

const std::map<std::string, Numbers> numbers_named{{"lesson", Numbers::lesson}, {"random", Numbers::random}};
const std::map<std::string, Blocking> blocking_named{
    {"nothing", Blocking::nothing}, {"future", Blocking::future}, {"last_token", Blocking::last_token}};

template <class Choice>
Choice chosen(const std::map<std::string, Choice>& named, const json& name) {
    const auto found = named.find(name.get<std::string>());
    if (found == named.end()) throw std::invalid_argument("There is no choice " + name.dump() + ".");
    return found->second;
}

Question question_of(const json& text) {
    return {.tokens = text.at("tokens"),
            .D = text.at("D"),
            .H = text.at("H"),
            .numbers = chosen(numbers_named, text.at("numbers")),
            .blocking = chosen(blocking_named, text.at("blocking")),
            .mistakes = text.at("mistakes")};
}

json number(double value) {
    if (std::isfinite(value)) return value;
    if (std::isnan(value)) return "nan";
    return value < 0 ? "-inf" : "inf";
}

/// Without verdict.cpp, which the page has no use for.
std::string_view spelled(verdict::Stage stage) {
    return verdict::names_of(verdict::Stage{}).at(static_cast<std::size_t>(stage)).second;
}

json stage_of(const Stage& stage) {
    json numbers = json::array();
    for (const double value : stage.numbers.value) numbers.push_back(number(value));
    return {{"id", stage.id}, {"shape", stage.numbers.shape}, {"numbers", numbers}};
}

}  // namespace

std::string catalogue() {
    json all = json::array();
    for (const diagnosis::Mistake& mistake : diagnosis::mistakes()) {
        if (mistake.make == nullptr) continue;
        all.push_back({{"id", mistake.id},
                       {"decision", mistake.decision},
                       {"stage", spelled(diagnosis::decision(mistake.decision).stage)},
                       {"title", mistake.title},
                       {"right", mistake.right},
                       {"symptom", mistake.symptom},
                       {"question", mistake.question}});
    }
    return all.dump();
}

std::string answer(const std::string& question) {
    try {
        const Trace traced = trace(question_of(json::parse(question)));
        json stages = json::array();
        for (const Stage& stage : traced.stages) stages.push_back(stage_of(stage));
        return json{{"stages", stages}, {"stopped_at", traced.stopped_at}, {"because", traced.because}}.dump();
    } catch (const std::invalid_argument& error) {
        return json{{"refused", error.what()}}.dump();
    } catch (const json::exception& error) {
        return json{{"refused", std::string("This is no question: ") + error.what()}}.dump();
    }
}

}  // namespace headway::explorer
