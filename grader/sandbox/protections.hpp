#pragma once

#include "sandbox/policy.hpp"
#include "sandbox/process.hpp"
#include "sandbox/system_calls.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headway::sandbox {

/// Who the jailed program is for the kernel.
enum class Inmate {
    pool_user,      ///< a user of its own, which only root can give
    own_namespace,  ///< the user who grades, in a user namespace: nobody

    // Where the kernel grants no namespaces; see weaker_jail.hpp.
    another_user,  ///< a user of its own, among all other processes
    same_user,     ///< the user who grades, among all other processes: kept by Landlock and the filter
};

/// Whether it is jailed without namespaces, by less than bubblewrap can do.
constexpr bool is_weaker(Inmate inmate) { return inmate == Inmate::another_user || inmate == Inmate::same_user; }

/// What a program needs to see. Everything else is not there.
struct JailContents {
    std::filesystem::path program;                ///< outside; empty: a tool, by the path in the command
    std::vector<std::filesystem::path> readable;  ///< seen where they are
    bool tools = false;                           ///< compiler and linker, not libraries alone
    bool own_processes_visible = false;           ///< a /proc of its own: sanitizers symbolize with it
    std::uint64_t folder = mebibytes(64);         ///< size of /tmp, the one place to write
    std::filesystem::path secret = {};            ///< never seen, even where it lies within something readable
};

/// What of bubblewrap's options came late.
struct Bubblewrap {
    bool knows_size = true;   ///< --size of a folder in memory
    bool knows_perms = true;  ///< --perms of one
};

/// A jail as it is being drawn up: what bwrap, the entry and the kernel's filter will be told.
struct Plan {
    const Command& command;
    const JailContents& contents;
    Inmate inmate;
    std::filesystem::path entry;
    Bubblewrap bubblewrap = {};

    std::vector<std::string> jail = {};          ///< options of bwrap
    std::vector<std::string> instructions = {};  ///< for the entry; see entry/enter.cpp
    std::vector<Refused> refused = {};
    std::string entry_inside = "/enter";
    std::string program_inside = "/program";

    // ---- of the weaker jail -------------------------------------------------------------------------------------
    std::vector<std::string> guard = {};  ///< for headway-guard; see entry/guard.cpp
    std::filesystem::path folder = {};    ///< its private one, in place of /tmp; empty: it has none
};

/// Whether the path is the folder or something in it.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// One thing that a submission must not be able to do.
struct Protection {
    std::string_view name;
    std::string_view keeps;  ///< in words, for the readers of a verdict
    void (*apply)(Plan&);
    void (*without)(Plan&);  ///< what takes its place where it is switched off; may be null
};

/// In the order in which they must be applied.
std::span<const Protection> protections();

}  // namespace headway::sandbox
