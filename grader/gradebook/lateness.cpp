#include "gradebook/lateness.hpp"

#include "intake/entry_name.hpp"
#include "intake/hand_in.hpp"

#include <algorithm>

namespace headway::gradebook {
namespace {

constexpr std::int64_t a_minute = 60;
constexpr std::int64_t an_hour = 60 * a_minute;
constexpr std::int64_t a_day = 24 * an_hour;

/// Of a time, so many seconds after what was allowed.
int days_begun(std::int64_t over, std::int64_t grace) {
    return over <= grace ? 0 : static_cast<int>((over - grace + a_day - 1) / a_day);
}

}  // namespace

std::optional<int> days_late(const Attempt& attempt, const MarkingPolicy& policy, const std::string& student,
                             const std::string& exercise) {
    const auto& deadline = policy.exercises.at(exercise).deadline;
    if (!deadline) return 0;
    const std::int64_t until = intake::seconds_of(*deadline) + policy.extension(student, exercise) * a_day;
    const auto days_at = [&](const std::string& time) {
        return days_begun(intake::seconds_of(time) - until, policy.grace_minutes * a_minute);
    };
    if (attempt.submitted) return days_at(*attempt.submitted);
    // What Canvas calls late is not on time, and since when is not known.
    const bool is_late_there = attempt.note == intake::late_on_canvas;
    if (policy.unknown_time == MarkingPolicy::UnknownTime::on_time && !is_late_there) return 0;
    if (attempt.recorded.empty()) return std::nullopt;
    const int at_most = days_at(attempt.recorded);
    if (at_most == 0 || policy.unknown_time == MarkingPolicy::UnknownTime::when_graded) return at_most;
    return std::nullopt;
}

int FreeDays::excused(std::int64_t attempt) const {
    const auto found = excused_.find(attempt);
    return found == excused_.end() ? 0 : found->second;
}

int FreeDays::possible(std::int64_t attempt, int days) const { return std::min(days, excused(attempt) + left_); }

void FreeDays::spend(std::int64_t attempt, int days) {
    const int more = std::max(0, days - excused(attempt));
    left_ -= more;
    if (more > 0) excused_[attempt] += more;
}

int FreeDays::spent() const {
    int spent = 0;
    for (const auto& [attempt, days] : excused_) spent += days;
    return spent;
}

}  // namespace headway::gradebook
