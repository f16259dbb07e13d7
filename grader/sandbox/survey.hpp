#pragma once

#include "jail.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace headway::sandbox {

/// What this machine protects against, found by trying: a jail is built, and a program in it does what a submission
/// could do.
struct Survey {
    Jail jail;  ///< the best that can be built here; perhaps none
    /// "no_network": "enforced" | "degraded: why" | "absent: why"
    std::map<std::string, std::string> protections;
};

/// @param programs  where headway-enter and headway-inspect are
/// @param secret  a path that must not be seen from within
Survey survey(const std::filesystem::path& programs, const std::filesystem::path& secret, const Policy& policy);

/// The same without trying: there is to be no jail.
Survey without_jail(const Policy& policy, const std::string& why);

/// Strangers' code must not run where the jail is missing or has a hole.
/// @throws std::runtime_error naming the first hole and what to do, unless `unsafe`
enum class Unsafe { no, yes };
void require_jail(const Survey& survey, Unsafe unsafe);

}  // namespace headway::sandbox
