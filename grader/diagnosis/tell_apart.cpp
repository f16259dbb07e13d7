#include "diagnosis/tell_apart.hpp"

#include "diagnosis/examination.hpp"
#include "diagnosis/where_it_throws.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace headway::diagnosis {
namespace {

constexpr std::size_t most_inputs = 500;
constexpr double apart = 3;  // tolerances

/// How many kinds of answers to this question the sets predict.
std::size_t count_classes(const Observation& question, const std::vector<MistakeSet>& sets) {
    std::vector<Answer> classes;
    for (const MistakeSet& set : sets) {
        Answer answer = predicted(question, with(set));
        const bool is_new = std::all_of(classes.begin(), classes.end(),
                                        [&](const Answer& other) { return tellable_distance(answer, other) > apart; });
        if (is_new) classes.push_back(std::move(answer));
    }
    return classes.size();
}

}  // namespace

void tell_apart(std::vector<MistakeSet>& sets, std::vector<Observation>& observations, const Function& function,
                judge::Student& student, Random& random, Thrown thrown) {
    std::set<std::size_t> passed_over;  // of each round's questions
    for (std::size_t inputs = 0; sets.size() > 1 && inputs < most_inputs;) {
        std::optional<Observation> best;
        std::size_t most_classes = 1, best_number = 0, number = 0;
        for (const auto& [arguments, name] : function.questions(random)) {
            ++inputs;
            if (passed_over.contains(number++)) continue;
            Observation question{arguments, {}, function.model(arguments)};
            // What should be refused may be answered in any way.
            if (predicted(question, right()).kind == Answer::Kind::refused) continue;
            const std::size_t classes = count_classes(question, sets);
            if (classes <= most_classes) continue;
            most_classes = classes;
            best_number = number - 1;
            best = std::move(question);
        }
        if (!best) continue;
        best->seen = ask(student, function, best->arguments).answer;
        const auto is_refuted = [&](const MistakeSet& set) { return !fit(predicted(*best, with(set)), best->seen); };
        // Unless one of the sets predicts that very throw.
        if (thrown == Thrown::says_nothing && threw_where_an_answer_is_due(*best) &&
            std::ranges::all_of(sets, is_refuted)) {
            passed_over.insert(best_number);
            continue;
        }
        std::erase_if(sets, is_refuted);
        observations.push_back(std::move(*best));
    }
}

}  // namespace headway::diagnosis
