#pragma once

#include "verdict/verdict.hpp"

#include <string>

namespace headway::judge {

/// Reads what AddressSanitizer or UndefinedBehaviorSanitizer printed: the kind, and, of the trace of what went wrong,
/// the first frame in the student's own files, whose paths are relative (the course's and the system's are absolute).
verdict::SanitizerReport parse_sanitizer_report(const std::string& output);

/// The kind of a report that a function's end was reached where a return should stand; its line is where the function
/// begins.
inline constexpr const char* no_return =
    "execution reached the end of a value-returning function without returning a value";

inline constexpr const char* stack_overflow = "stack-overflow";
/// In what is said of a stack-overflow, where the trace tells what used it up.
inline constexpr const char* recurses = "recurses without end";
inline constexpr const char* too_large_arrays = "has local arrays that are larger than the stack";

/// "your split_heads read beyond the end of an array (heap-buffer-overflow) at head_splitting.cpp:31"
std::string describe(const verdict::SanitizerReport& report, const std::string& function);

}  // namespace headway::judge
