#pragma once

#include "gradebook/gradebook.hpp"
#include "gradebook/lateness.hpp"
#include "gradebook/marking_policy.hpp"
#include "gradebook/rulings.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Marks are never stored: they are what a policy makes of the verdicts, and what people have decided comes on top,
/// each with a name and a reason. They depend on what is known, and not on the order in which it became known.
///
/// The rule for one student, exercise by exercise, in their order:
/// 1. Attempts are the student's and their group's, without those that were removed, in the order in which they were
///    handed in. One whose time nobody knows comes right after what was recorded before it.
/// 2. An attempt that a person has pinned counts. Else the policy says: the last one, or the one with the most points.
///    Of equals it is the one that spends fewest free days, and of these the earliest.
/// 3. One free day excuses one day of lateness of one attempt, for every exercise that counts from it.
///    An exercise takes as many as save something, of those that exercises before it have left.
/// 4. What is not graded, or was handed in at a time that is not known, is open while it could change the mark.
/// 5. Adjustments are added, but no exercise and no total falls below 0 by them. A mark that was set is what it was set
///    to, whatever the rest says.
/// 6. Of the exercises that are no extra credit the policy may drop the lowest, as they are by then; of equals the
///    later ones. While one of them is open, which ones these are is open too.
/// 7. The total, adjusted, may be rounded to the nearest multiple, a half up.
namespace headway::gradebook {

/// Where the mark of one exercise stands.
enum class Standing {
    missing,    ///< nothing was handed in
    malformed,  ///< something was, and could not be read: no mark until a person decides
    pending,    ///< not graded yet, or the machine failed: no mark, and never a zero
    untimed,    ///< graded, and nobody knows whether it is late: no mark until somebody says when it was handed in
    graded,
};

struct ExerciseMark {
    std::string exercise;
    Standing standing = Standing::missing;
    bool open = false;      ///< no points yet, and no zero: pending, untimed, or malformed and without any adjustment
    double points = 0;      ///< that count: scaled, less what is late, plus what was adjusted; or what it was set to
    double max_points = 0;  ///< by the policy
    bool extra_credit = false;
    Score score;         ///< as the tests gave it
    std::string source;  ///< of the attempt that counts
    std::int64_t attempt = 0;
    int days_late = 0;  ///< after grace and extension
    int free_days = 0;  ///< of these, how many cost nothing
    double deducted = 0;
    double adjusted = 0;
    double cut = 0;  ///< of what was adjusted: what would have led below 0
    bool is_pinned = false;
    bool is_dropped = false;  ///< by the policy: not in the total
    std::optional<double> set_to;
};

struct Mark {
    std::string student;
    std::vector<ExerciseMark> exercises;
    double adjusted = 0;  ///< the total
    double cut = 0;       ///< of that: what would have led below 0
    double points = 0;
    double max_points = 0;               ///< without extra credit, and without what is dropped
    std::optional<double> rounded_from;  ///< where that is another number
    bool complete = true;                ///< nothing of it is open
    int free_days = 0;                   ///< that were spent, each counted once
    std::optional<double> set_to;
    std::vector<Adjustment> adjustments;
    std::vector<std::string> notes;
};

/// What marks are made of.
struct ClassRecord {
    std::vector<Attempt> attempts;        ///< by student, oldest first
    std::map<std::string, Score> scores;  ///< by source
    std::vector<Adjustment> adjustments;
    std::vector<Decision> decisions = {};
    std::vector<std::string> enrolled = {};  ///< who is in the class, where that is known; hand-ins may add guests
};
ClassRecord record_of(const Gradebook& gradebook, const Edition& edition);

/// Of every student who handed in, is in a group or is enrolled, and was not removed, sorted by id.
std::vector<Mark> derive_marks(const ClassRecord& record, const MarkingPolicy& policy);

/// What one attempt would count for a student, if there were no other.
struct AttemptMarks {
    const Attempt* attempt = nullptr;  ///< in the record
    const Decision* removal = nullptr;
    std::vector<ExerciseMark> exercises;  ///< that it holds
};
/// Theirs and their group's, in the order in which they were handed in. @param rulings  those of the record
std::vector<AttemptMarks> attempts_of(const ClassRecord& record, const MarkingPolicy& policy, const Rulings& rulings,
                                      const std::string& student);

}  // namespace headway::gradebook
