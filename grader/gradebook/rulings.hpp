#pragma once

#include "gradebook/gradebook.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headway::gradebook {

/// What holds of all that was decided, one after the other.
class Rulings {
public:
    explicit Rulings(const std::vector<Decision>& decisions);

    bool is_removed(const std::string& student) const { return removed_students_.contains(student); }
    /// The decision by which an attempt counts no more; null where it does.
    const Decision* removal(std::int64_t attempt) const;
    /// The attempt that a person chose for this student and exercise.
    std::optional<std::int64_t> pinned(const std::string& student, const std::string& exercise) const;
    /// What a mark was set to, by the last decision about it; null where it was not, or is no more.
    /// @param exercise  empty: the total
    const Decision* set(const std::string& student, const std::string& exercise) const;

private:
    std::set<std::string> removed_students_;
    std::map<std::int64_t, Decision> removed_attempts_;
    std::map<std::string, std::map<std::string, std::int64_t>> pins_;            // by student and exercise
    std::map<std::string, std::map<std::string, std::optional<Decision>>> set_;  // by student and exercise
};

}  // namespace headway::gradebook
