#pragma once

namespace headway::cli {

inline constexpr int all_passed = 0;
inline constexpr int some_did_not_pass = 1;
inline constexpr int wrong_usage = 2;
inline constexpr int machine_at_fault = 3;

}  // namespace headway::cli
