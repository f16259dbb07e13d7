#include "survey.hpp"

#include "control_group.hpp"

#include <array>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <sys/utsname.h>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

using Found = std::map<std::string, std::string>;

constexpr const char* enforced = "enforced";

std::string namespace_of_ours(const std::string& kind) {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/ns/" + kind, ignored).string();
}

/// "ok" or what was possible, by protection. @throws std::system_error if there is no such jail
Found inspect(const Jail& jail, const fs::path& programs, const fs::path& secret) {
    const Room room{.program = programs / "headway-inspect",
                    .readable = {},
                    .own_processes_visible = true,
                    .folder = mebibytes(1),
                    .secret = secret};
    Command command;
    command.arguments = {room.program.string(), std::to_string(room.folder), "64", std::to_string(::geteuid()),
                         (secret / "grader").string()};
    for (const char* kind : {"net", "pid", "ipc"}) command.arguments.push_back(namespace_of_ours(kind));
    command.limits = {std::chrono::seconds(10), mebibytes(256), mebibytes(1), 64};
    std::istringstream lines(run(jail.lock(command, room), std::chrono::seconds(20), 65536).output);
    Found found;
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
            found[line.substr(0, tab)] = line.substr(tab + 1);
    return found;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Found with_jail(const Found& inspected, const Policy& policy) {
    Found found;
    for (const Protection& protection : protections()) {
        const std::string name(protection.name);
        const auto result = inspected.find(name);
        if (result == inspected.end() && name != "dies_with_grader")
            throw std::runtime_error("the inspection came to no end");
        const bool held = result == inspected.end() || result->second == "ok";  // a program inside cannot try them all
        if (policy.switched_off.contains(name))
            found[name] = "absent: switched off in the policy" + (held ? "" : "; " + result->second);
        else if (held)
            found[name] = enforced;
        else
            found[name] = "absent: " + result->second;
    }
    for (const char* name : {"closed_descriptors", "empty_environment"})
        if (const auto result = inspected.find(name); result != inspected.end() && result->second != "ok")
            found[name] = "absent: " + result->second;
    return found;
}

/// What Process and the judge do in any case.
void add_outside(Found& found) {
    for (const char* name :
         {"own_memory", "closed_descriptors", "empty_environment", "watched_memory", "watched_time", "bounded_output"})
        found.try_emplace(name, enforced);
    std::string ignored;
    const bool group = ControlGroup::make({.memory = mebibytes(64), .processes = 64}, ignored) != nullptr;
    found["bounded_group"] =
        group ? enforced : "degraded: no control group can be made here; memory is watched instead";
}

/// Before 5.14 the limit counted all processes of a user, wherever they ran.
bool counts_processes_by_namespace() {
    utsname about{};
    ::uname(&about);
    int major = 0;
    int minor = 0;
    char dot = 0;
    std::istringstream(about.release) >> major >> dot >> minor;
    return major > 5 || (major == 5 && minor >= 14);
}

}  // namespace

Survey without_jail(const Policy& policy, const std::string& why) {
    Survey result{.jail = Jail(std::nullopt, {}, policy), .protections = {}};
    for (const Protection& protection : protections())
        result.protections[std::string(protection.name)] = "absent: " + why;
    // What Process does to each child, jailed or not.
    for (const char* name : {"dies_with_grader", "bounded_addresses", "bounded_files", "bounded_time"})
        result.protections[name] = enforced;
    add_outside(result.protections);
    return result;
}

Survey survey(const fs::path& programs, const fs::path& secret, const Policy& policy) {
    if (bubblewrap().empty()) return without_jail(policy, "bubblewrap is not installed");
    std::vector<Inmate> ways{Inmate::own_namespace};
    if (has_pool_users()) ways.insert(ways.begin(), Inmate::pool_user);
    std::string why;
    for (const Inmate way : ways) {
        Policy adapted = policy;
        if (way == Inmate::own_namespace && !counts_processes_by_namespace())
            adapted.switched_off.insert("bounded_processes");
        Survey result{.jail = Jail(way, programs / "headway-enter", adapted), .protections = {}};
        try {
            result.protections = with_jail(inspect(result.jail, programs, secret), policy);
            add_outside(result.protections);
            return result;
        } catch (const std::exception& error) {
            why = first_line(error.what());
        }
    }
    return without_jail(policy, why);
}

void require_jail(const Survey& survey, Unsafe unsafe) {
    if (unsafe == Unsafe::yes) return;
    for (const auto& [name, state] : survey.protections)
        if (state.starts_with("absent"))
            throw std::runtime_error("this machine cannot jail other people's code: " + name + " is " + state +
                                     ". ./headway doctor shows what is missing; --unsafe runs it all the same.");
}

}  // namespace headway::sandbox
