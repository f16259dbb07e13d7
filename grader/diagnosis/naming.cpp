#include "diagnosis/naming.hpp"

#include "diagnosis/catalogue.hpp"
#include "diagnosis/shipped.hpp"

#include <algorithm>

namespace headway::diagnosis {
namespace {

verdict::NamedMistake with_texts(const Mistake& mistake, const std::string& exercise_number) {
    const Decision& decided = decision(mistake.decision);
    verdict::NamedMistake named;
    named.id = mistake.id;
    named.title = mistake.title;
    named.right = mistake.right;
    named.symptom = mistake.symptom;
    named.decision = mistake.decision;
    named.stage = decided.stage;
    named.shipped = shipped(mistake.id);
    std::string lesson = exercise_number;
    if (!decided.lesson.contains(lesson) && !decided.lesson.empty()) lesson = decided.lesson.begin()->first;
    if (decided.lesson.contains(lesson)) named.lesson = "lesson " + lesson + ", \"" + decided.lesson.at(lesson) + "\"";
    named.hints = {mistake.question, "See " + named.lesson + ".", decided.pseudocode};
    return named;
}

}  // namespace

std::vector<verdict::NamedMistake> named_mistakes(const std::vector<verdict::FunctionDiagnosis>& functions,
                                                  const std::string& exercise_number) {
    std::vector<verdict::NamedMistake> named;
    for (const verdict::FunctionDiagnosis& function : functions)
        for (const std::string& id : function.mistakes) {
            auto found = std::find_if(named.begin(), named.end(), [&](const auto& one) { return one.id == id; });
            if (found == named.end()) {
                named.push_back(with_texts(mistake(id), exercise_number));
                found = named.end() - 1;
            }
            found->functions.push_back(function.function);
            for (const std::string& other : function.alternatives)
                if (auto& also = found->also_known_as;
                    function.mistakes.size() == 1 &&
                    std::find(also.begin(), also.end(), mistake(other).title) == also.end())
                    also.push_back(mistake(other).title);
        }
    return named;
}

}  // namespace headway::diagnosis
