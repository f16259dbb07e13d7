#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::sandbox {

/// A system call that gets an error instead of an answer.
struct Refused {
    const char* name;
    int error;
    std::uint64_t flags = 0;      ///< refused only if its first argument has one of these; 0: always
    bool only_on_others = false;  ///< refused only if its first argument, a process, is not 0: itself
    /// Refused only if its second argument is this one of the things that it does.
    std::optional<std::uint32_t> what = {};
};

/// The kernel's filter (seccomp, as BPF) that refuses them, and every call of another architecture.
/// @return empty if Headway was built without libseccomp
std::string system_call_filter(const std::vector<Refused>& refused);

}  // namespace headway::sandbox
