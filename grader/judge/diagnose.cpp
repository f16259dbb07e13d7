#include "diagnosis/diagnose.hpp"
#include "judge/answered_calls.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"

namespace headway::judge {

nlohmann::json diagnose(const Case& asked, const DiagnosisOptions& options) {
    // Of an exercise without a catalogue of mistakes nothing can be said.
    if (!diagnosis::subjects().contains(asked.exercise)) return verdict::to_json(verdict::Diagnosis{});
    const Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    const CallLimits limits = workshop.limits_of_diagnosis();
    Student plain = workshop.student({asked.worker}, limits);
    Student reversed = workshop.student({asked.worker}, limits);
    Student refilled = workshop.student({asked.worker, false, 170}, limits);
    Student sanitized = options.sanitized_worker.empty()
                            ? workshop.student({asked.worker, false, 1, false}, limits)
                            : workshop.student({options.sanitized_worker, true, 1, false}, limits);
    for (Student* student : {&plain, &reversed, &refilled, &sanitized}) {
        student->ends_with_trouble();
        for (const std::string& function : options.hung) student->has_hung(function);
    }
    return verdict::to_json(diagnosis::diagnose(asked.exercise, {plain, reversed, refilled, sanitized},
                                                read_answered_calls(options.answered_calls), options.told, asked.seed));
}

}  // namespace headway::judge
