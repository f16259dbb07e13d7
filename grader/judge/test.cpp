#include "diagnosis/repeats.hpp"
#include "judge/answered_calls.hpp"
#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"

#include <optional>

namespace headway::judge {

nlohmann::json test(const Case& asked, const std::filesystem::path& answered_calls) {
    const auto& suite = suite_of(asked.exercise);
    Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    Student student = workshop.student({asked.worker, asked.sanitized}, workshop.limits());
    if (asked.sanitized) student.needs_no_evidence();  // it is slow, and asked for memory errors: merge() knows
    if (asked.orderly) student.let_workers_end([] {});
    if (!asked.run.counts.empty()) student.let_workers_end([&workshop] { workshop.keep_parcel(); });
    student.repeats_judged_by([&](const auto& function, const auto& arguments, const auto& first, const auto& second) {
        return diagnosis::may_repeat(asked.exercise, function, arguments, first, second);
    });
    std::optional<AnsweredCallsFile> file;
    if (!answered_calls.empty()) {
        file.emplace(answered_calls);
        student.witnessed_by([&](const auto& function, const auto& arguments, const auto& outcome) {
            if (!student.test_record().outside_story) file->add(function, arguments, outcome);
        });
    }
    nlohmann::json document = run_suite(suite, {student, asked.seed, asked.sanitized});
    student.fresh_worker();
    if (file) file->close();
    return document;
}

}  // namespace headway::judge
