#pragma once

#include "sandbox/jail.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headway::sandbox {

/// What this machine protects against, found by trying: a jail is built, and a program in it does what a submission
/// could do.
struct Survey {
    Jail jail;  ///< the best that can be built here; perhaps none
    /// "no_network": "enforced" | "degraded: why" | "weaker: what it does not stop" | "absent: why". In the weaker jail
    /// there is "jail" too.
    std::map<std::string, std::string> protections;
};

/// What is where.
struct Places {
    std::filesystem::path programs;  ///< headway-enter, headway-guard and headway-inspect
    std::filesystem::path secret;    ///< the course, which must not be seen from within
    /// What of it no submission may read. In the weaker jail, without Landlock, only its permissions can see to that.
    std::vector<std::filesystem::path> closed = {};
    std::vector<std::filesystem::path> kept = {};  ///< what none may change: the course, results
};
Survey survey(const Places& places, const Policy& policy);

/// In a jail of that kind alone. @throws std::exception if it cannot be built here
Survey survey_in(Inmate inmate, const Places& places, const Policy& policy);

/// A survey that tries nothing: there is to be no jail.
Survey without_jail(const Policy& policy, const std::string& why);

/// Strangers' code must not run where the jail is missing or has a hole. The weaker jail will do: what keeps marks
/// trustworthy holds there too, or it counts as a hole.
/// @throws std::runtime_error naming the first hole and what to do, unless `unsafe`
enum class Unsafe { no, yes };
void require_jail(const Survey& survey, Unsafe unsafe);

/// require_jail() for many submissions on one machine, of which none may read another.
void require_jail_for_a_class(const Survey& survey, Unsafe unsafe);

}  // namespace headway::sandbox
