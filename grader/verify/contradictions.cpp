#include "verify/contradictions.hpp"

#include "grading/credit.hpp"
#include "grading/judge.hpp"

#include <fmt/format.h>

#include <set>

namespace headway::cli {

std::string contradiction_in(const verdict::Exercise& exercise) {
    if (!exercise.diagnosis) return "";
    for (const verdict::Test& test : exercise.tests) {
        // Its ✓ says "what is wrong in your append costs no point here".
        const bool is_excepted = test.given && test.function == test.given;
        for (const verdict::NamedMistake& mistake : exercise.diagnosis->mistakes)
            if (breaks(mistake, test) || (!test.states && !is_excepted && lies_in_its_function(mistake, test)))
                return fmt::format("passes {} ({}) and is told that {} ({})", test.name, test.property, mistake.title,
                                   mistake.id);
    }
    return "";
}

std::vector<std::string> unknown_statements(const Course& course, const ExerciseInfo& info) {
    std::vector<std::string> gaps;
    const std::set<std::string> known = decisions_and_stages(course);
    for (const auto& [property, states] : Judge(course, info, 0).stated())
        for (const std::string& what : states)
            if (!known.contains(what))
                gaps.push_back(fmt::format("{}: {} states \"{}\", and no mistake of the catalogue is about that",
                                           info.number, property, what));
    return gaps;
}

}  // namespace headway::cli
