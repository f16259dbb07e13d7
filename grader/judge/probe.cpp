#include "judge/run_suite.hpp"
#include "judge/verbs.hpp"

#include "student/own_memory.hpp"

#include <fmt/format.h>

namespace headway::judge {

nlohmann::json probe(const Case& asked, int count) {
    const Suite& suite = suite_of(asked.exercise).second;
    const Workshop workshop(asked.run);
    bound_own_memory(workshop.own_memory());
    CallLimits limits = workshop.limits();
    limits.budget = nullptr;  // verify asks far more than a grading does
    Student student = workshop.student({asked.worker, asked.sanitized}, limits);
    Session session{student, asked.seed, asked.sanitized};
    nlohmann::json document = nlohmann::json::array();
    for (int i = 0; i < count; ++i) {
        Random random(asked.seed + static_cast<std::uint64_t>(i));
        std::vector<double> answers;
        student.test_record() = {};
        try {
            suite.probe(session, student, random, answers);
        } catch (const StopTest& stop) {
            student.test_record().stopped_by(stop);
            const auto& failure = student.test_record().failure;
            answers.push_back(failure ? 1e6 + static_cast<double>(failure->kind) : 1e7);
            student.fresh_worker();
        }
        nlohmann::json row = nlohmann::json::array();
        for (const double answer : answers) row.push_back(fmt::format("{:.6g}", answer));
        document.push_back(std::move(row));
    }
    student.fresh_worker();
    return document;
}

}  // namespace headway::judge
