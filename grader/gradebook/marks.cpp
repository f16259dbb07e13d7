#include "gradebook/marks.hpp"

#include "gradebook/mark_notes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace headway::gradebook {
namespace {

/// What is lost by so many days, of which some are excused.
double lost(const MarkingPolicy& policy, double earned, int days_late, int excused) {
    if (days_late > policy.last_day) return earned;
    return earned * std::min(100.0, policy.late_percent_a_day * std::max(0, days_late - excused)) / 100;
}

/// What one attempt would count, with the free days that the student still has.
ExerciseMark mark_of(const Attempt& attempt, const ClassRecord& record, const MarkingPolicy& policy,
                     const std::string& student, const std::string& exercise, const FreeDays& free_days) {
    const ExerciseMarking& rule = policy.exercises.at(exercise);
    ExerciseMark mark;
    mark.exercise = exercise;
    mark.max_points = rule.points;
    mark.extra_credit = rule.extra_credit;
    mark.source = attempt.sources.at(exercise);
    mark.attempt = attempt.id;
    const auto score = record.scores.find(mark.source);
    mark.standing = score == record.scores.end() ? Standing::pending : Standing::graded;
    if (mark.standing == Standing::pending) return mark;
    mark.score = score->second;
    mark.points = mark.score.max_points > 0 ? rule.points * mark.score.points / mark.score.max_points : 0;
    const std::optional<int> late = days_late(attempt, policy, student, exercise);
    // Of nothing, nothing can be lost.
    if (!late && mark.points > 0) mark.standing = Standing::untimed;
    if (!late) return mark;
    mark.days_late = *late;
    const int already = free_days.excused(attempt.id);
    const int possible = free_days.possible(attempt.id, mark.days_late);
    // A free day is spent only where it saves something.
    const bool saves = lost(policy, mark.points, *late, possible) < lost(policy, mark.points, *late, already);
    mark.free_days = mark.days_late > policy.last_day ? 0 : std::min(mark.days_late, saves ? possible : already);
    mark.deducted = lost(policy, mark.points, *late, mark.free_days);
    mark.points -= mark.deducted;
    return mark;
}

/// To the nearest multiple, a half up. A sum of 13.249999999999998 is 13.25.
double rounded(double points, double step) { return std::floor(points / step + 0.5 + 1e-9) * step; }

/// In the order in which they were handed in. One whose time nobody knows comes right after what was recorded before
/// it.
void sort_by_hand_in(std::vector<const Attempt*>& attempts) {
    std::ranges::sort(attempts, {}, &Attempt::id);
    std::map<const Attempt*, std::string> handed_in;
    std::string latest;
    for (const Attempt* one : attempts) {
        handed_in[one] = one->submitted.value_or(latest);
        latest = std::max(latest, handed_in[one]);
    }
    std::ranges::stable_sort(attempts, {}, [&](const Attempt* one) { return handed_in[one]; });
}

class Deriving {
public:
    Deriving(const ClassRecord& record, const MarkingPolicy& policy, const Rulings& rulings)
        : record_(record), policy_(policy), rulings_(rulings) {
        for (const Attempt& attempt : record.attempts) by_student_[attempt.student].push_back(&attempt);
    }

    std::vector<Mark> run() const {
        std::set<std::string> students(record_.enrolled.begin(), record_.enrolled.end());
        for (const auto& [student, attempts] : by_student_) students.insert(student);
        for (const auto& [group, members] : policy_.groups) students.insert(members.begin(), members.end());
        std::vector<Mark> marks;
        marks.reserve(students.size());
        for (const std::string& student : students)
            if (!rulings_.is_removed(student)) marks.push_back(mark(student));
        return marks;
    }

    /// Theirs and their group's, as they were handed in, removed ones too.
    std::vector<const Attempt*> attempts_for(const std::string& student) const {
        std::vector<const Attempt*> attempts;
        for (const std::string& member : policy_.members(student))
            if (const auto found = by_student_.find(member); found != by_student_.end())
                attempts.insert(attempts.end(), found->second.begin(), found->second.end());
        sort_by_hand_in(attempts);
        return attempts;
    }

private:
    Mark mark(const std::string& student) const {
        Mark mark;
        mark.student = student;
        const std::vector<const Attempt*> all = attempts_for(student);
        std::vector<const Attempt*> attempts;
        std::ranges::copy_if(all, std::back_inserter(attempts),
                             [&](const Attempt* one) { return rulings_.removal(one->id) == nullptr; });
        FreeDays free_days(policy_.free_days);
        const FreeDays none(0);
        for (const auto& [exercise, rule] : policy_.exercises) {
            const bool is_set = rulings_.set(student, exercise) != nullptr;
            const ExerciseMark one = choose(attempts, student, exercise, is_set ? none : free_days);
            if (!is_set) free_days.spend(one.attempt, one.free_days);
            mark.exercises.push_back(one);
        }
        mark.free_days = free_days.spent();
        adjust(mark);
        add_up(mark);
        mark.notes = notes_on(mark, all, rulings_);
        return mark;
    }

    ExerciseMark choose(const std::vector<const Attempt*>& attempts, const std::string& student,
                        const std::string& exercise, const FreeDays& free_days) const {
        std::vector<ExerciseMark> candidates;
        for (const Attempt* attempt : attempts)
            if (attempt->sources.contains(exercise))
                candidates.push_back(mark_of(*attempt, record_, policy_, student, exercise, free_days));
        if (candidates.empty()) return nothing(attempts, exercise);
        // A pinned one that was removed is none.
        const auto pinned = std::ranges::find(candidates, rulings_.pinned(student, exercise), &ExerciseMark::attempt);
        if (pinned != candidates.end()) {
            pinned->is_pinned = true;
            return *pinned;
        }
        return policy_.attempts == MarkingPolicy::Counts::last ? candidates.back() : best(candidates, free_days);
    }

    /// What can be read settles what could not: the last attempt says which of the two it is.
    ExerciseMark nothing(const std::vector<const Attempt*>& attempts, const std::string& exercise) const {
        const ExerciseMarking& rule = policy_.exercises.at(exercise);
        ExerciseMark mark;
        mark.exercise = exercise;
        mark.max_points = rule.points;
        mark.extra_credit = rule.extra_credit;
        if (!attempts.empty() && !attempts.back()->problem.empty()) mark.standing = Standing::malformed;
        return mark;
    }

    /// As far as it is known. What is not graded, or not known to be late, may still turn out to be the best; then it
    /// is that, and the mark is open.
    static ExerciseMark best(const std::vector<ExerciseMark>& candidates, const FreeDays& free_days) {
        const auto worth = [&](const ExerciseMark& one) {
            // Not graded: anything. Untimed: all of it at most, and no free day. By hand 7 - 5.6 is 1.4, and no more.
            const int spent = std::max(0, one.free_days - free_days.excused(one.attempt));
            const double points = std::round(one.points * 1e6);
            return std::tuple(one.standing == Standing::pending, points, -spent, one.standing != Standing::untimed);
        };
        const ExerciseMark* best = &candidates.front();
        for (const ExerciseMark& one : candidates)
            if (worth(one) > worth(*best)) best = &one;
        return *best;
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

    void settle(Mark& mark) const {
        for (ExerciseMark& one : mark.exercises) {
            const bool is_unsettled = one.standing == Standing::pending || one.standing == Standing::untimed ||
                                      (one.standing == Standing::malformed && !is_decided(mark, one.exercise));
            one.open = is_unsettled && one.max_points > 0;  // what counts nothing keeps nobody waiting
            // What an untimed one has earned is not what it counts.
            const double sum = (one.open ? 0 : one.points) + one.adjusted;
            one.points = std::max(0.0, sum);
            one.cut = one.points - sum;
            if (const Decision* set = rulings_.set(mark.student, one.exercise)) {
                one.set_to = one.points = set->points;
                one.cut = 0;
                one.open = false;
            }
        }
    }

    void drop_lowest(Mark& mark) const {
        if (policy_.drop_lowest == 0) return;
        std::vector<ExerciseMark*> regular;
        for (ExerciseMark& one : mark.exercises)
            if (policy_.exercises.at(one.exercise).is_regular()) regular.push_back(&one);
        mark.max_points -= policy_.drop_lowest * regular.front()->max_points;  // they count alike
        if (std::ranges::any_of(regular, &ExerciseMark::open)) return;
        std::ranges::reverse(regular);
        std::ranges::stable_sort(regular, {}, [](const ExerciseMark* one) { return std::round(one->points * 1e6); });
        for (int i = 0; i < policy_.drop_lowest; ++i) regular[static_cast<std::size_t>(i)]->is_dropped = true;
    }

    void add_up(Mark& mark) const {
        settle(mark);
        for (const ExerciseMark& one : mark.exercises)
            if (!one.extra_credit) mark.max_points += one.max_points;
        drop_lowest(mark);
        for (const ExerciseMark& one : mark.exercises) {
            if (!one.is_dropped) mark.points += one.points;
            if (one.open) mark.complete = false;
        }
        const double sum = mark.points + mark.adjusted;
        mark.points = std::max(0.0, sum);
        mark.cut = mark.points - sum;
        if (const Decision* set = rulings_.set(mark.student, "")) {
            mark.set_to = mark.points = set->points;
            mark.cut = 0;
            mark.complete = true;
        } else if (policy_.round_to) {
            const double exact = mark.points;
            mark.points = rounded(exact, *policy_.round_to);
            if (std::abs(mark.points - exact) > 1e-9) mark.rounded_from = exact;
        }
    }

    const ClassRecord& record_;
    const MarkingPolicy& policy_;
    const Rulings& rulings_;
    std::map<std::string, std::vector<const Attempt*>> by_student_;
};

}  // namespace

ClassRecord record_of(const Gradebook& gradebook, const Edition& edition) {
    return {gradebook.attempts(), gradebook.scores(edition), gradebook.adjustments(), gradebook.decisions()};
}

std::vector<Mark> derive_marks(const ClassRecord& record, const MarkingPolicy& policy) {
    const Rulings rulings(record.decisions);
    return Deriving(record, policy, rulings).run();
}

std::vector<AttemptMarks> attempts_of(const ClassRecord& record, const MarkingPolicy& policy, const Rulings& rulings,
                                      const std::string& student) {
    const FreeDays free_days(policy.free_days);
    std::vector<AttemptMarks> attempts;
    for (const Attempt* attempt : Deriving(record, policy, rulings).attempts_for(student)) {
        attempts.push_back({attempt, rulings.removal(attempt->id), {}});
        for (const auto& [exercise, rule] : policy.exercises)
            if (attempt->sources.contains(exercise))
                attempts.back().exercises.push_back(mark_of(*attempt, record, policy, student, exercise, free_days));
    }
    return attempts;
}

}  // namespace headway::gradebook
