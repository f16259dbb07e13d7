#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"

namespace headway::judge {

nlohmann::json compare(const Case& asked) {
    const auto& suite = suite_of(asked.exercise);
    const Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    Student student = workshop.student({asked.worker, asked.sanitized}, workshop.limits());
    return run_comparisons(suite, {student, asked.seed, asked.sanitized});
}

}  // namespace headway::judge
