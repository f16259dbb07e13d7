#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace headway::gradebook {

/// class.toml says something that cannot be; the message says where.
struct MarkingPolicyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What an exercise counts.
struct ExerciseMarking {
    double points = 10;
    std::optional<std::string> deadline;  ///< ISO 8601, UTC
    bool extra_credit = false;            ///< on top: not in the points that can be reached

    /// One of those of which the lowest may be dropped.
    bool is_regular() const { return points > 0 && !extra_credit; }
};

/// How marks come from verdicts: class.toml. Without one: the best attempt, 10 points an exercise, no deadline.
struct MarkingPolicy {
    enum class Counts { best, last };
    /// Of an attempt for an exercise with a deadline, where nobody says when it was handed in.
    enum class UnknownTime {
        open,         ///< no mark until it is known, unless it was recorded in time
        on_time,      ///< not late
        when_graded,  ///< handed in when it was recorded
    };

    Counts attempts = Counts::best;
    UnknownTime unknown_time = UnknownTime::open;
    std::map<std::string, ExerciseMarking> exercises;
    double late_percent_a_day = 10;
    int free_days = 0;                                             ///< a student's, for all attempts together
    int grace_minutes = 0;                                         ///< after the deadline, and after each day late
    int last_day = 365;                                            ///< what is later counts nothing
    int drop_lowest = 0;                                           ///< of a student's regular exercises, so many
    std::optional<double> round_to;                                ///< the total, to the nearest multiple of it
    std::map<std::string, std::map<std::string, int>> extensions;  ///< student -> exercise ("" for all) -> days
    std::map<std::string, std::vector<std::string>> groups;        ///< what one hands in counts for all

    /// @param exercises  the course's, "03_scaled_scores"
    /// @throws MarkingPolicyError
    static MarkingPolicy parse(const std::string& text, const std::vector<std::string>& exercises);

    int extension(const std::string& student, const std::string& exercise) const;
    /// The student, and who is in a group with them.
    std::vector<std::string> members(const std::string& student) const;
    /// Ids in extensions and groups that are not among `known`: misspelt, or of students who have handed in nothing
    /// yet. Sorted.
    std::set<std::string> strangers(const std::set<std::string>& known) const;
};

}  // namespace headway::gradebook
