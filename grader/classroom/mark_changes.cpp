#include "classroom/mark_changes.hpp"

#include "classroom/exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace headway::classroom {
namespace {

using gradebook::Edition;
using gradebook::ExerciseMark;
using gradebook::Gradebook;
using gradebook::Mark;

/// Marks differ if a table would show it.
bool differ(double a, double b) { return std::abs(a - b) >= 0.005; }

std::set<std::string> in_either(const Edition& one, const Edition& other) {
    std::set<std::string> exercises;
    for (const Edition* edition : {&one, &other})
        for (const auto& [exercise, digest] : edition->suites) exercises.insert(exercise);
    return exercises;
}

/// The properties whose points are others now.
void add_tests(std::vector<std::string>& reasons, const Gradebook& gradebook, const std::string& source,
               const std::string& suite_before, const std::string& suite_after) {
    const auto before = gradebook.verdict(source, suite_before);
    const auto after = gradebook.verdict(source, suite_after);
    if (!before || !after || suite_before == suite_after) return;
    std::map<std::string, int> points;
    for (const verdict::Test& test : before->exercise.tests) points[test.property] = test.points;
    for (const verdict::Test& test : after->exercise.tests) {
        const auto earlier = points.find(test.property);
        if (earlier == points.end())
            reasons.push_back(fmt::format("new: {} ({} of {})", test.property, test.points, test.max_points));
        else if (earlier->second != test.points)
            reasons.push_back(fmt::format("{}: {} -> {}", test.property, earlier->second, test.points));
    }
    if (before->exercise.state != after->exercise.state)
        reasons.push_back(fmt::format("{} -> {}", verdict::to_string(before->exercise.state),
                                      verdict::to_string(after->exercise.state)));
}

std::vector<std::string> reasons_for(const Gradebook& gradebook, const ExerciseMark& before, const Edition& from,
                                     const ExerciseMark& after, const Edition& to) {
    std::vector<std::string> reasons;
    if (before.standing != after.standing)
        reasons.push_back(to_string(before.standing) + " -> " + to_string(after.standing));
    if (before.attempt != after.attempt) reasons.emplace_back("another attempt counts");
    if (differ(before.max_points, after.max_points))
        reasons.push_back(fmt::format("counts {:g} points, not {:g}", after.max_points, before.max_points));
    if (before.days_late != after.days_late || before.free_days != after.free_days)
        reasons.push_back(fmt::format("{} days late, {} of them free; before {} and {}", after.days_late,
                                      after.free_days, before.days_late, before.free_days));
    else if (differ(before.deducted, after.deducted))
        reasons.push_back(fmt::format("{:.2f} deducted for being late, not {:.2f}", after.deducted, before.deducted));
    if (before.is_dropped != after.is_dropped)
        reasons.emplace_back(after.is_dropped ? "is dropped, as one of the lowest" : "is dropped no more");
    if (before.source == after.source)
        add_tests(reasons, gradebook, after.source, from.suites.at(before.exercise), to.suites.at(after.exercise));
    return reasons;
}

/// The mark of an exercise; of one that the edition does not have, nothing.
ExerciseMark mark_in(const Mark& mark, const std::string& exercise) {
    const auto found = std::ranges::find(mark.exercises, exercise, &ExerciseMark::exercise);
    if (found != mark.exercises.end()) return *found;
    ExerciseMark none;
    none.exercise = exercise;
    return none;
}

/// Exercise by exercise. What is set by hand does not change.
std::vector<MarkChange> changes_of(const Gradebook& gradebook, const Mark& was, const Edition& from, const Mark& is,
                                   const Edition& to) {
    std::vector<MarkChange> changes;
    for (const std::string& exercise : in_either(from, to)) {
        const ExerciseMark before = mark_in(was, exercise);
        const ExerciseMark after = mark_in(is, exercise);
        const bool counts_in_both = from.suites.contains(exercise) && to.suites.contains(exercise);
        const bool stands_alike = counts_in_both ? before.standing == after.standing : before.open == after.open;
        const bool is_in_total_alike = before.is_dropped == after.is_dropped;
        const bool keeps_points = after.set_to || (!differ(before.points, after.points) && stands_alike);
        if (keeps_points && is_in_total_alike) continue;
        changes.push_back({is.student, exercise, before.points, after.points, {}});
        if (counts_in_both)
            changes.back().reasons = reasons_for(gradebook, before, from, after, to);
        else
            changes.back().reasons = {to.suites.contains(exercise) ? "did not count before" : "counts no more"};
        if (is.set_to) changes.back().reasons.push_back(fmt::format("the total stays {:g}, set by hand", *is.set_to));
    }
    if (was.complete && is.complete && differ(was.points, is.points) && differ(by_rounding(was), by_rounding(is)))
        changes.push_back({is.student,
                           "",
                           was.points,
                           is.points,
                           {is.rounded_from ? fmt::format("rounded from {:g}", *is.rounded_from) : "not rounded"}});
    return changes;
}

/// Where that alone changes, nobody's points do, and yet every share of them.
void tell_of_what_can_be_reached(std::vector<std::string>& told, const Mark& was, const Mark& is) {
    if (told.empty() && differ(was.max_points, is.max_points))
        told.push_back(fmt::format("{:g} points can be reached in all, not {:g}", is.max_points, was.max_points));
}

/// What comes to the class or leaves it changes what can be reached, also where it changes nobody's points.
std::vector<std::string> coming_and_going(const Edition& before, const gradebook::MarkingPolicy& old_policy,
                                          const Edition& after, const gradebook::MarkingPolicy& new_policy) {
    std::vector<std::string> told;
    for (const std::string& exercise : in_either(before, after)) {
        const bool was_there = before.suites.contains(exercise);
        if (was_there && after.suites.contains(exercise)) continue;
        const double points = (was_there ? old_policy : new_policy).exercises.at(exercise).points;
        if (points > 0)
            told.push_back(
                fmt::format("{} {}: {:g} points", exercise, was_there ? "counts no more" : "counts now", points));
    }
    return told;
}

/// Of a student who has a mark in both.
void count_total(MarkChanges& found, const Mark& was, const Mark& is) {
    if (!differ(was.points, is.points) && was.complete == is.complete) {
        found.stays.push_back(is.student);
        return;
    }
    ++found.marks;
    if (differ(was.points, is.points)) ++(is.points > was.points ? found.up : found.down);
}

}  // namespace

MarkChanges mark_changes(const Gradebook& gradebook, const Edition& before, const Edition& after) {
    const auto old_policy = gradebook::MarkingPolicy::parse(before.policy, before.exercises());
    const auto new_policy = gradebook::MarkingPolicy::parse(after.policy, after.exercises());
    std::map<std::string, Mark> old_marks;
    for (Mark& mark : derive_marks(record_of(gradebook, before), old_policy)) old_marks[mark.student] = std::move(mark);
    MarkChanges found;
    found.exercises = coming_and_going(before, old_policy, after, new_policy);
    for (const Mark& mark : derive_marks(record_of(gradebook, after), new_policy)) {
        const auto old_mark = old_marks.find(mark.student);
        if (old_mark == old_marks.end()) {
            found.changes.push_back({mark.student, "", 0, mark.points, {"has a mark now, by their group"}});
            ++found.marks;
            if (mark.points > 0) ++found.up;
            continue;
        }
        tell_of_what_can_be_reached(found.exercises, old_mark->second, mark);
        const std::vector<MarkChange> changes = changes_of(gradebook, old_mark->second, before, mark, after);
        if (!changes.empty()) count_total(found, old_mark->second, mark);
        found.changes.insert(found.changes.end(), changes.begin(), changes.end());
        old_marks.erase(old_mark);
    }
    for (const auto& [student, mark] : old_marks) {
        found.changes.push_back(
            {student, "", mark.points, 0, {"has no mark any more: handed in nothing, and is in no group"}});
        ++found.marks;
        if (mark.points > 0) ++found.down;
    }
    return found;
}

}  // namespace headway::classroom
