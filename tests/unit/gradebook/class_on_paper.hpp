#pragma once

#include "gradebook/marks.hpp"

#include <gtest/gtest.h>

namespace headway::gradebook {

inline const std::vector<std::string> exercises = {"01_single_head", "02_head_splitting"};

/// A class whose verdicts are written down: attempt("anna", "01", 5, "2026-05-02T...") earned 5 of 10. Attempts are
/// numbered from 1, and were recorded in June.
class ClassOnPaper : public testing::Test {
protected:
    using Points = std::map<std::string, int>;  // by exercise; below 0: not graded

    void attempt(const std::string& student, const Points& points, const char* submitted = nullptr) {
        const auto id = static_cast<std::int64_t>(record_.attempts.size() + 1);
        Attempt attempt{id, student, student, {}, "", "", {}, "2026-06-01T12:00:00Z"};
        if (submitted != nullptr) attempt.submitted = submitted;
        for (const auto& [exercise, earned] : points) {
            const std::string source = exercise + " of " + std::to_string(id);
            attempt.sources[exercise == "01" ? exercises[0] : exercises[1]] = source;
            if (earned >= 0) record_.scores[source] = {verdict::State::failed, earned, 10};
        }
        record_.attempts.push_back(attempt);
    }
    void attempt(const std::string& student, const std::string& exercise, int points, const char* submitted = nullptr) {
        attempt(student, Points{{exercise, points}}, submitted);
    }

    void unreadable(const std::string& student, const std::string& why) {
        attempt(student, Points{});
        record_.attempts.back().problem = why;
    }

    /// @param exercise  "01", "02" or "" for all
    void decide(Decision::Kind kind, const std::string& student, std::optional<std::int64_t> attempt,
                const std::string& exercise = "", double points = 0) {
        const std::string name = exercise.empty() ? "" : exercise == "01" ? exercises[0] : exercises[1];
        record_.decisions.push_back({kind, student, attempt, name, points, "prof", "a reason", "2026"});
    }

    std::vector<Mark> marks(const std::string& policy = "") const {
        return derive_marks(record_, MarkingPolicy::parse(policy, exercises));
    }
    Mark mark(const std::string& student, const std::string& policy = "") const {
        for (const Mark& mark : marks(policy))
            if (mark.student == student) return mark;
        throw std::runtime_error("no such student");
    }

    ClassRecord record_;
};

}  // namespace headway::gradebook
