#include "gradebook/mark_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headway::gradebook {
namespace {

std::string why(const Decision& decision) { return fmt::format("{} ({})", decision.reason, decision.author); }

void note_attempts(std::vector<std::string>& notes, const Mark& mark, const std::vector<const Attempt*>& attempts,
                   const Rulings& rulings) {
    for (const Attempt* attempt : attempts) {
        if (const Decision* removal = rulings.removal(attempt->id)) {
            notes.push_back(fmt::format("attempt {} does not count: {}", attempt->id, why(*removal)));
            continue;
        }
        if (!attempt->note.empty() && std::ranges::find(notes, attempt->note) == notes.end())
            notes.push_back(attempt->note);
        if (!attempt->why_this_time.empty() && attempt->submitted)
            notes.push_back(fmt::format("attempt {} counts as handed in at {} {} UTC: {}", attempt->id,
                                        attempt->submitted->substr(0, 10), attempt->submitted->substr(11, 5),
                                        attempt->why_this_time));
        if (!mark.complete && !attempt->problem.empty()) notes.push_back("could not be read: " + attempt->problem);
    }
}

void note_unknown_times(std::vector<std::string>& notes, const Mark& mark) {
    std::vector<std::string> untimed;
    for (const ExerciseMark& one : mark.exercises)
        if (one.open && one.standing == Standing::untimed) untimed.push_back(one.exercise);
    if (!untimed.empty())
        notes.push_back(
            fmt::format("no mark yet for {}: it is not known when it was handed in, and so whether it is late",
                        fmt::join(untimed, ", ")));
}

void note_decisions(std::vector<std::string>& notes, const Mark& mark, const Rulings& rulings) {
    for (const ExerciseMark& one : mark.exercises) {
        if (one.is_pinned) notes.push_back(fmt::format("{}: attempt {} was chosen by hand", one.exercise, one.attempt));
        if (const Decision* set = rulings.set(mark.student, one.exercise))
            notes.push_back(fmt::format("{}: set to {:g} points: {}", one.exercise, set->points, why(*set)));
        else if (one.cut > 0)
            notes.push_back(fmt::format("{}: adjusted by {:+g} points, but never below 0", one.exercise, one.adjusted));
    }
    if (const Decision* set = rulings.set(mark.student, ""))
        notes.push_back(fmt::format("the total is set to {:g} points: {}", set->points, why(*set)));
    else if (mark.cut > 0)
        notes.push_back(fmt::format("the total is adjusted by {:+g} points, but never below 0", mark.adjusted));
}

/// What class.toml makes of the total.
void note_rules(std::vector<std::string>& notes, const Mark& mark) {
    std::vector<std::string> dropped;
    for (const ExerciseMark& one : mark.exercises)
        if (one.is_dropped) dropped.push_back(one.exercise);
    if (!dropped.empty()) notes.push_back(fmt::format("not in the total, as the lowest: {}", fmt::join(dropped, ", ")));
    if (mark.rounded_from) notes.push_back(fmt::format("the total is rounded from {:g}", *mark.rounded_from));
}

}  // namespace

std::vector<std::string> notes_on(const Mark& mark, const std::vector<const Attempt*>& attempts,
                                  const Rulings& rulings) {
    std::vector<std::string> notes;
    note_attempts(notes, mark, attempts, rulings);
    note_unknown_times(notes, mark);
    note_decisions(notes, mark, rulings);
    note_rules(notes, mark);
    const bool has_own =
        std::ranges::any_of(attempts, [&](const Attempt* one) { return one->student == mark.student; });
    if (!attempts.empty() && !has_own) notes.emplace_back("in a group, no hand-in of their own");
    return notes;
}

}  // namespace headway::gradebook
