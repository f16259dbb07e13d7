#include "gradebook/marks.hpp"

#include "intake/hand_in.hpp"

#include <algorithm>
#include <set>

namespace headway::gradebook {
namespace {

constexpr std::int64_t a_minute = 60;
constexpr std::int64_t an_hour = 60 * a_minute;
constexpr std::int64_t a_day = 24 * an_hour;

/// Days begun after the deadline; 0 where the time is not known: nobody loses points to a guess.
int days_late(const Attempt& attempt, const MarkingPolicy& policy, const std::string& student,
              const std::string& exercise) {
    const auto& deadline = policy.exercises.at(exercise).deadline;
    if (!deadline || !attempt.submitted) return 0;
    const std::int64_t until = intake::seconds_of(*deadline) + policy.extension(student, exercise) * a_day;
    const std::int64_t over = intake::seconds_of(*attempt.submitted) - until;
    if (over <= policy.grace_minutes * a_minute) return 0;
    return static_cast<int>((over + a_day - 1) / a_day);
}

/// What one attempt would count.
ExerciseMark mark_of(const Attempt& attempt, const ClassRecord& record, const MarkingPolicy& policy,
                     const std::string& student, const std::string& exercise, int free_days) {
    const ExerciseMarking& rule = policy.exercises.at(exercise);
    ExerciseMark mark;
    mark.source = attempt.sources.at(exercise);
    mark.attempt = attempt.id;
    const auto score = record.scores.find(mark.source);
    mark.standing = score == record.scores.end() ? Standing::pending : Standing::graded;
    if (mark.standing == Standing::pending) return mark;
    mark.score = score->second;
    const double earned = mark.score.max_points > 0 ? rule.points * mark.score.points / mark.score.max_points : 0;
    mark.days_late = days_late(attempt, policy, student, exercise);
    // A free day is spent only where it saves something.
    if (earned > 0 && mark.days_late <= policy.last_day) mark.free_days = std::min(free_days, mark.days_late);
    const double percent = mark.days_late > policy.last_day
                               ? 100
                               : std::min(100.0, policy.late_percent_a_day * (mark.days_late - mark.free_days));
    mark.deducted = earned * percent / 100;
    mark.points = earned - mark.deducted;
    return mark;
}

class Deriving {
public:
    Deriving(const ClassRecord& record, const MarkingPolicy& policy) : record_(record), policy_(policy) {
        for (const Attempt& attempt : record.attempts) by_student_[attempt.student].push_back(&attempt);
    }

    std::vector<Mark> run() const {
        std::set<std::string> students(record_.enrolled.begin(), record_.enrolled.end());
        for (const auto& [student, attempts] : by_student_) students.insert(student);
        for (const auto& [group, members] : policy_.groups) students.insert(members.begin(), members.end());
        std::vector<Mark> marks;
        marks.reserve(students.size());
        for (const std::string& student : students) marks.push_back(mark(student));
        return marks;
    }

private:
    Mark mark(const std::string& student) const {
        Mark mark;
        mark.student = student;
        int free_days = policy_.free_days;
        const std::vector<const Attempt*> attempts = attempts_for(student);
        for (const auto& [exercise, rule] : policy_.exercises) {
            ExerciseMark one = choose(attempts, student, exercise, free_days);
            one.exercise = exercise;
            one.max_points = rule.points;
            one.extra_credit = rule.extra_credit;
            free_days -= one.free_days;
            mark.exercises.push_back(one);
        }
        adjust(mark);
        add_up(mark);
        for (const Attempt* attempt : attempts) {
            if (!attempt->note.empty()) mark.notes.push_back(attempt->note);
            if (!mark.complete && !attempt->problem.empty())
                mark.notes.push_back("could not be read: " + attempt->problem);
        }
        return mark;
    }

    /// Theirs and their group's, oldest first.
    std::vector<const Attempt*> attempts_for(const std::string& student) const {
        std::vector<const Attempt*> attempts;
        for (const std::string& member : policy_.members(student))
            if (const auto found = by_student_.find(member); found != by_student_.end())
                attempts.insert(attempts.end(), found->second.begin(), found->second.end());
        std::sort(attempts.begin(), attempts.end(), [](const Attempt* a, const Attempt* b) { return a->id < b->id; });
        return attempts;
    }

    ExerciseMark choose(const std::vector<const Attempt*>& attempts, const std::string& student,
                        const std::string& exercise, int free_days) const {
        ExerciseMark chosen;
        for (const Attempt* attempt : attempts) {
            // What can be read settles what could not.
            if (chosen.source.empty())
                chosen.standing = attempt->problem.empty() ? Standing::missing : Standing::malformed;
            if (!attempt->sources.contains(exercise)) continue;
            const ExerciseMark mark = mark_of(*attempt, record_, policy_, student, exercise, free_days);
            const bool is_first = chosen.source.empty();
            // What is not graded yet may still be the best: until then there is no mark.
            const bool is_better = mark.standing == Standing::pending ||
                                   (chosen.standing != Standing::pending && mark.points > chosen.points);
            if (is_first || policy_.attempts == MarkingPolicy::Counts::last || is_better) chosen = mark;
        }
        return chosen;
    }

    void adjust(Mark& mark) const {
        for (const Adjustment& adjustment : record_.adjustments) {
            if (adjustment.student != mark.student) continue;
            mark.adjustments.push_back(adjustment);
            if (adjustment.exercise.empty()) mark.adjusted += adjustment.points;
            for (ExerciseMark& one : mark.exercises)
                if (one.exercise == adjustment.exercise) one.adjusted += adjustment.points;
        }
    }

    /// A person has said what the exercise, or all of them, are worth, be it 0 points more.
    static bool is_decided(const Mark& mark, const std::string& exercise) {
        return std::any_of(mark.adjustments.begin(), mark.adjustments.end(), [&](const Adjustment& adjustment) {
            return adjustment.exercise.empty() || adjustment.exercise == exercise;
        });
    }

    static void add_up(Mark& mark) {
        mark.points = mark.adjusted;
        for (ExerciseMark& one : mark.exercises) {
            one.points += one.adjusted;
            mark.points += one.points;
            if (!one.extra_credit) mark.max_points += one.max_points;
            one.open = one.standing == Standing::pending ||
                       (one.standing == Standing::malformed && !is_decided(mark, one.exercise));
            if (one.open) mark.complete = false;
        }
    }

    const ClassRecord& record_;
    const MarkingPolicy& policy_;
    std::map<std::string, std::vector<const Attempt*>> by_student_;
};

}  // namespace

ClassRecord record_of(const Gradebook& gradebook, const Edition& edition) {
    return {gradebook.attempts(), gradebook.scores(edition), gradebook.adjustments()};
}

std::vector<Mark> derive_marks(const ClassRecord& record, const MarkingPolicy& policy) {
    return Deriving(record, policy).run();
}

}  // namespace headway::gradebook
