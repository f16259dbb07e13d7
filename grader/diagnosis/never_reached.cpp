#include "diagnosis/never_reached.hpp"

#include <algorithm>

namespace headway::diagnosis {

bool was_never_reached(const Function& function, const Findings& findings) {
    const auto fails_before = [&](const Findings::Question& question) {
        const auto& failure = question.reply.failure;
        // "forward (dropout)" is asked of forward.
        return failure && !failure->function.empty() && !function.name.starts_with(failure->function);
    };
    const auto is_right = [&](const Findings::Question& question) {
        return fit(function.model(question.arguments)(right()), question.reply.answer).has_value();
    };
    return std::ranges::any_of(findings.questions, fails_before) &&
           std::ranges::all_of(findings.questions,
                               [&](const auto& question) { return fails_before(question) || is_right(question); });
}

}  // namespace headway::diagnosis
