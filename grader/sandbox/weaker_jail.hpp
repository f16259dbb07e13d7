#pragma once

#include "sandbox/protections.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headway::sandbox {

/// Where a gap of the weaker jail is.
enum class Ground {
    anywhere,
    without_landlock,  ///< the kernel has none, or the container forbids it
    same_user,         ///< the user who grades is not root
};

/// What the weaker jail does not stop.
struct Gap {
    std::string_view protection;
    Ground ground;
    std::string_view what;
};
std::span<const Gap> gaps();

/// What is open in a protection's place, in words; empty: it holds as in the other jail.
std::string gaps_of(std::string_view protection, Inmate inmate, bool has_landlock);

/// Turns a plan for bubblewrap into one for headway-guard, which needs no namespace.
/// @param rule_for_files  whether Landlock, where there is any, is to say what it opens
enum class RuleForFiles { no, yes };
void make_weaker(Plan& plan, RuleForFiles rule_for_files);

/// What the guard is to do. @param entry  what the entry is told: the user it becomes is the one whom the guard ends
std::vector<std::string> guard_instructions(const Plan& plan, const std::vector<std::string>& entry);

/// What the entry is told, with the private folder in place of /tmp, which is everybody's here.
std::vector<std::string> with_private_folder(const Plan& plan, std::vector<std::string> entry);

/// The version of Landlock that this kernel lets us use; 0: none.
int landlock_version();

/// From this version on it keeps a program from signalling others of the same user.
inline constexpr int landlock_that_scopes_signals = 6;

}  // namespace headway::sandbox
