#include "diagnosis/never_reached.hpp"

#include <algorithm>

namespace headway::diagnosis {

bool was_never_reached(const Function& function, const Findings& findings) {
    return std::ranges::all_of(findings.questions, [&](const Findings::Question& question) {
        const auto& failure = question.reply.failure;
        // "forward (dropout)" is asked of forward.
        if (failure) return !failure->function.empty() && !function.name.starts_with(failure->function);
        return fit(function.model(question.arguments)(right()), question.reply.answer).has_value();
    });
}

}  // namespace headway::diagnosis
