#include "diagnosis/trusted_answers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace headway::diagnosis {

std::vector<Observation> trusted_answers(const Findings& findings, const Function& function) {
    std::vector<Observation> found;
    for (const Findings::Question& question : findings.questions)
        if (question.clean)
            found.push_back(
                {question.arguments, question.reply.answer, function.model(question.arguments), question.name});
    return found;
}

std::vector<Observation> trusted_answers(const std::vector<AnsweredCall>& calls, const Findings& findings,
                                         const Function& function) {
    // What is kept between calls makes an answer depend on those before it.
    const auto is_unsure = [](const std::string& id) {
        return id == "state_kept_between_calls" || id == "reads_out_of_bounds" || id == "result_never_assigned" ||
               id == "vector_without_elements" || id.ends_with("_pointer_followed");
    };
    if (findings.unreliable || std::ranges::any_of(findings.mistakes, is_unsure)) return {};
    std::vector<Observation> found;
    for (const AnsweredCall& call : calls)
        if (call.function == function.name && !(findings.refuses_by_luck && call.answer.kind == Answer::Kind::refused))
            if (auto predict = known_prediction(function, call.arguments))
                found.push_back({call.arguments, call.answer, std::move(predict)});
    return found;
}

}  // namespace headway::diagnosis
