#include "diagnosis/where_it_throws.hpp"

#include <algorithm>

namespace headway::diagnosis {

std::string index_left_its_tensor(const Findings& findings, const Function& function) {
    for (const auto& question : findings.questions)
        if (!question.reply.left_its_tensor.empty() && is_answer_due(function.model(question.arguments)(right())))
            return question.reply.left_its_tensor;
    return {};
}

bool threw_where_an_answer_is_due(const Observation& one) {
    const bool threw = one.seen.kind == Answer::Kind::refused || one.seen.kind == Answer::Kind::threw;
    return threw && is_answer_due(predicted(one, right()));
}

bool throw_there_too(const MistakeSet& set, const std::vector<Observation>& observations) {
    const Choices choices = with(set);
    return std::ranges::all_of(observations, [&](const Observation& one) {
        if (!threw_where_an_answer_is_due(one)) return true;
        const Answer answer = predicted(one, choices);
        return !answer.is_value() && answer.kind != Answer::Kind::unpredicted;
    });
}

bool throws_where_memory_is_watched(WhereWrong& where, const std::vector<Observation>& observations,
                                    const Function& function, judge::Student& sanitized) {
    if (!where.throws) return false;
    const auto thrown = std::ranges::find_if(observations, [](const Observation& one) {
        return is_answer_due(predicted(one, right())) && (!one.seen.is_value() || says_it_refused(one.seen));
    });
    if (thrown == observations.end() || !ask(sanitized, function, thrown->arguments).failure) return true;
    if (where.words.starts_with(verdict::throws_where))
        where.words.replace(0, verdict::throws_where.size(), verdict::no_answer_where);
    return false;
}

}  // namespace headway::diagnosis
