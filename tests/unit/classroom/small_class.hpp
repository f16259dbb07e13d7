#pragma once

#include "classroom/graded_work.hpp"

#include "temporary_folder.hpp"
#include "verdict/sample_verdicts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace headway::classroom {

/// A gradebook of a few students whose verdicts are samples: hand_in("anna", "anna.zip", samples::wrong()).
class SmallClass {
public:
    explicit SmallClass(std::string policy = "") : policy_(std::move(policy)) {
        edition_ = gradebook_.propose({0, 1, policy_, {{exercises[0], "suite"}, {exercises[1], "suite"}}});
        gradebook_.apply(edition_);
    }

    void hand_in(const std::string& student, const std::string& entry, verdict::Exercise exercise,
                 std::optional<std::string> submitted = {}, const std::string& text = "int x;") {
        exercise.name = exercise.number == "03" ? exercises[1] : exercises[0];
        const build::Submission source{exercise.name, {}, {{exercise.name.substr(3) + ".cpp", text}}, {}};
        gradebook_.record({0, student, entry, std::move(submitted), "", "", {{exercise.name, source.digest()}}},
                          {source});
        gradebook_.store({exercise.name, source.digest(), "suite", 0}, {exercise, "", "2026-05-04T08:00:00Z"});
    }
    void hand_in_what_cannot_be_read(const std::string& student, const std::string& entry) {
        gradebook_.record({0, student, entry, {}, "", "the archive is damaged", {}}, {});
    }
    void adjust(const std::string& student, const std::string& exercise, double points) {
        gradebook_.adjust({student, exercise, points, "prof", "effort", "2026-05-09T12:00:00Z"});
    }

    GradedClass graded(verdict::Tell tell = verdict::Tell::full) const {
        return {gradebook_, edition_, gradebook::MarkingPolicy::parse(policy_, exercises), gradebook_.attempts(), tell};
    }
    std::vector<gradebook::Mark> marks() const {
        return gradebook::derive_marks(gradebook::record_of(gradebook_, edition_),
                                       gradebook::MarkingPolicy::parse(policy_, exercises));
    }
    gradebook::Mark mark(const std::string& student) const {
        for (const gradebook::Mark& mark : marks())
            if (mark.student == student) return mark;
        throw std::runtime_error("no such student");
    }
    std::filesystem::path folder() const { return folder_.path(); }

    static inline const std::vector<std::string> exercises = {"01_single_head", "03_scaled_scores"};

private:
    build::TemporaryFolder folder_;
    gradebook::Gradebook gradebook_{folder_.path() / "gradebook.sqlite", gradebook::Access::read_write};
    std::string policy_;
    gradebook::Edition edition_;
};

}  // namespace headway::classroom
