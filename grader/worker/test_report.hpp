#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::worker {

/// What a test said.
struct TestSaid {
    std::string test;                          ///< "Suite.Name"
    std::optional<std::string> words;          ///< "" if it passed, else what it said first; nothing if it was skipped
    std::vector<std::int64_t> thrown_at = {};  ///< where it threw what ended it, if that is what it said first
};

/// Runs every TEST that the submission has, silently. Compiled where it grades, for the GoogleTest that is there.
/// @param now_in  is told of each test before it runs, and of "" after it
/// @param last_throw  as in throw_trace.hpp, which is compiled elsewhere
std::vector<TestSaid> report_of_all_tests(void (*now_in)(const std::string& test),
                                          std::vector<std::int64_t> (*last_throw)());

}  // namespace headway::worker
