#include "diagnosis/candidates.hpp"

#include <algorithm>

namespace headway::diagnosis {

std::vector<const Mistake*> candidates_for(const std::string& exercise_number, const Function& function,
                                           const MistakeSet& known) {
    const auto is_taught = [&](const Mistake& mistake) {
        const auto& lessons = decision(mistake.decision).lesson;
        return !lessons.empty() && lessons.begin()->exercise <= exercise_number && mistake.from <= exercise_number;
    };
    const auto is_settled = [&](const Mistake& mistake) {
        return function.given_own && std::ranges::any_of(known, [&](const Mistake* one) {
                   return one != &mistake && one->decision == mistake.decision;
               });
    };
    const auto is_read = [&](const Mistake& mistake) {
        return function.reads == nullptr || function.reads(with({&mistake}));
    };
    std::vector<const Mistake*> candidates;
    for (const Mistake& mistake : mistakes())
        if (mistake.make != nullptr && !mistake.equivalent && is_taught(mistake) && !is_settled(mistake) &&
            is_read(mistake))
            candidates.push_back(&mistake);
    return candidates;
}

}  // namespace headway::diagnosis
