#include "gradebook/rulings.hpp"

namespace headway::gradebook {

Rulings::Rulings(const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        switch (decision.kind) {
            case Decision::Kind::remove:
                if (decision.attempt)
                    removed_attempts_.insert_or_assign(*decision.attempt, decision);
                else
                    removed_students_.insert(decision.student);
                break;
            case Decision::Kind::restore:
                if (decision.attempt)
                    removed_attempts_.erase(*decision.attempt);
                else
                    removed_students_.erase(decision.student);
                break;
            case Decision::Kind::pin:
                if (decision.attempt) pins_[decision.student][decision.exercise] = *decision.attempt;
                break;
            case Decision::Kind::unpin:
                if (decision.exercise.empty())
                    pins_.erase(decision.student);
                else
                    pins_[decision.student].erase(decision.exercise);
                break;
            case Decision::Kind::set:
                set_[decision.student][decision.exercise] = decision;
                break;
            case Decision::Kind::unset:
                set_[decision.student][decision.exercise] = std::nullopt;
                break;
        }
    }
}

const Decision* Rulings::removal(std::int64_t attempt) const {
    const auto found = removed_attempts_.find(attempt);
    return found == removed_attempts_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> Rulings::pinned(const std::string& student, const std::string& exercise) const {
    const auto of_student = pins_.find(student);
    if (of_student == pins_.end()) return std::nullopt;
    const auto found = of_student->second.find(exercise);
    return found == of_student->second.end() ? std::nullopt : std::optional(found->second);
}

const Decision* Rulings::set(const std::string& student, const std::string& exercise) const {
    const auto of_student = set_.find(student);
    if (of_student == set_.end()) return nullptr;
    const auto found = of_student->second.find(exercise);
    return found == of_student->second.end() || !found->second ? nullptr : &*found->second;
}

}  // namespace headway::gradebook
