#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headway::sandbox {

/// A system call that gets an error instead of an answer: always, or only where all that is said of its arguments
/// holds.
struct Refused {
    const char* name;
    int error;                                ///< 0: it is told that it succeeded, and nothing happens
    std::uint64_t flags = 0;                  ///< its first argument has one of these
    bool only_on_others = false;              ///< its first argument, a process, is not 0: itself
    std::optional<std::uint32_t> what = {};   ///< its second argument is this
    std::optional<std::uint32_t> first = {};  ///< its first argument is this
    bool only_with_third = false;             ///< its third argument is not 0: prlimit64 sets what else it reads
};

/// The kernel's filter (seccomp, as BPF) that refuses them, and every call of another architecture. A call that is
/// younger than what we know gets ENOSYS.
/// @return empty if Headway was built without libseccomp
/// @throws std::runtime_error if one of them has no number
std::string system_call_filter(const std::vector<Refused>& refused);

/// Its number; below 0 where this architecture has none by that name. Without libseccomp 0.
/// @throws std::runtime_error if nobody knows it
int number_of(const std::string& system_call);

}  // namespace headway::sandbox
