#include "classroom/mark_changes.hpp"

#include "classroom/exports.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace headway::classroom {
namespace {

using gradebook::Edition;
using gradebook::ExerciseMark;
using gradebook::Gradebook;
using gradebook::Mark;

/// Marks differ if a table would show it.
bool differ(double a, double b) { return std::abs(a - b) >= 0.005; }

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
    if (before.source == after.source)
        add_tests(reasons, gradebook, after.source, from.suites.at(before.exercise), to.suites.at(after.exercise));
    return reasons;
}

/// Exercise by exercise. What is set by hand does not change.
std::vector<MarkChange> changes_of(const Gradebook& gradebook, const Mark& was, const Edition& from, const Mark& is,
                                   const Edition& to) {
    std::vector<MarkChange> changes;
    for (std::size_t i = 0; i < is.exercises.size(); ++i) {
        const ExerciseMark& before = was.exercises[i];
        const ExerciseMark& after = is.exercises[i];
        if (after.set_to || (!differ(before.points, after.points) && before.standing == after.standing)) continue;
        changes.push_back(
            {is.student, after.exercise, before.points, after.points, reasons_for(gradebook, before, from, after, to)});
        if (is.set_to) changes.back().reasons.push_back(fmt::format("the total stays {:g}, set by hand", *is.set_to));
    }
    return changes;
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

MarkChanges mark_changes(const Gradebook& gradebook, const Edition& before, const Edition& after,
                         const std::vector<std::string>& exercises) {
    const auto marks_in = [&](const Edition& edition) {
        return gradebook::derive_marks(gradebook::record_of(gradebook, edition),
                                       gradebook::MarkingPolicy::parse(edition.policy, exercises));
    };
    std::map<std::string, Mark> old_marks;
    for (Mark& mark : marks_in(before)) old_marks[mark.student] = std::move(mark);
    MarkChanges found;
    for (const Mark& mark : marks_in(after)) {
        const auto old_mark = old_marks.find(mark.student);
        if (old_mark == old_marks.end()) {
            found.changes.push_back({mark.student, "", 0, mark.points, {"has a mark now, by their group"}});
            ++found.marks;
            if (mark.points > 0) ++found.up;
            continue;
        }
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
