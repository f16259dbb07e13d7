#pragma once

#include "gradebook/gradebook.hpp"
#include "gradebook/marking_policy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace headway::gradebook {

/// Days late for one student and exercise. Late is what comes after deadline, extension and grace; each day begun
/// counts whole, and the grace holds after each: with 15 minutes of it, 24 h 14 min after the deadline are 1 day.
/// Nothing where it depends on a time that nobody has said. What was recorded in time was handed in in time.
std::optional<int> days_late(const Attempt& attempt, const MarkingPolicy& policy, const std::string& student,
                             const std::string& exercise);

/// One student's free days. One of them excuses one day of one attempt, and so for every exercise that counts from it.
class FreeDays {
public:
    explicit FreeDays(int given) : left_(given) {}

    /// How many days an attempt is excused already.
    int excused(std::int64_t attempt) const;
    /// How many it could be, of `days`.
    int possible(std::int64_t attempt, int days) const;
    /// From now on, it is excused at least `days`, which are possible.
    void spend(std::int64_t attempt, int days);
    int spent() const;

private:
    int left_;
    std::map<std::int64_t, int> excused_;
};

}  // namespace headway::gradebook
