#pragma once

#include "gradebook/gradebook.hpp"
#include "gradebook/marking_policy.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Marks are never stored: they are what a policy makes of the verdicts, and adjustments come on top, each with a name
/// and a reason.
namespace headway::gradebook {

/// Where the mark of one exercise stands.
enum class Standing {
    missing,    ///< nothing was handed in
    malformed,  ///< something was, and could not be read: no mark until a person decides
    pending,    ///< not graded yet, or the machine failed: no mark, and never a zero
    graded,
};

struct ExerciseMark {
    std::string exercise;
    Standing standing = Standing::missing;
    bool open = false;      ///< no points yet, and no zero: pending, or malformed and without any adjustment
    double points = 0;      ///< that count: scaled, less what is late, plus what was adjusted
    double max_points = 0;  ///< by the policy
    bool extra_credit = false;
    Score score;         ///< as the tests gave it
    std::string source;  ///< of the attempt that counts
    std::int64_t attempt = 0;
    int days_late = 0;  ///< after grace and extension
    int free_days = 0;  ///< of these, how many cost nothing
    double deducted = 0;
    double adjusted = 0;
};

struct Mark {
    std::string student;
    std::vector<ExerciseMark> exercises;
    double adjusted = 0;  ///< the total
    double points = 0;
    double max_points = 0;  ///< without extra credit
    bool complete = true;   ///< nothing of it is open
    std::vector<Adjustment> adjustments;
    std::vector<std::string> notes;
};

/// What marks are made of.
struct ClassRecord {
    std::vector<Attempt> attempts;        ///< by student, oldest first
    std::map<std::string, Score> scores;  ///< by source
    std::vector<Adjustment> adjustments;
    std::vector<std::string> enrolled = {};  ///< who is in the class, where that is known; hand-ins may add guests
};
ClassRecord record_of(const Gradebook& gradebook, const Edition& edition);

/// Of every student who handed in, is in a group or is enrolled, sorted by id.
std::vector<Mark> derive_marks(const ClassRecord& record, const MarkingPolicy& policy);

}  // namespace headway::gradebook
