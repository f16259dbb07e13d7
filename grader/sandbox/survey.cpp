#include "sandbox/survey.hpp"

#include "sandbox/control_group.hpp"
#include "sandbox/weaker_jail.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

using Found = std::map<std::string, std::string>;

constexpr const char* enforced = "enforced";

bool rules_for_files(const Jail& jail) {
    return landlock_version() > 0 && !jail.policy().switched_off.contains("no_host_files");
}

std::string namespace_of_ours(const std::string& kind) {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/ns/" + kind, ignored).string();
}

/// For a program that is to try what it can do to us and ours.
void describe_surroundings(std::vector<std::string>& arguments, const Jail& jail, const Places& places) {
    if (jail.name() == "same_user") arguments.at(2) = std::to_string(RLIM_INFINITY - 1);  // see Gap
    arguments.at(4) = places.programs / "headway-judge";
    arguments.push_back("grader=" + std::to_string(::getpid()));
    if (rules_for_files(jail)) arguments.emplace_back("landlock=yes");
    for (const fs::path& path : places.closed) arguments.push_back("closed=" + path.string());
    for (const fs::path& path : places.kept) arguments.push_back("kept=" + path.string());
}

/// "ok" or what was possible, by protection. @throws std::system_error if there is no such jail
Found inspect(const Jail& jail, const Places& places) {
    const JailContents contents{.program = places.programs / "headway-inspect",
                                .readable = {},
                                .own_processes_visible = true,
                                .folder = mebibytes(1),
                                .secret = places.secret};
    Command command;
    command.arguments = {contents.program.string(), std::to_string(contents.folder), "64", std::to_string(::geteuid()),
                         (places.secret / "grader").string()};
    if (jail.is_weaker())
        describe_surroundings(command.arguments, jail, places);
    else
        for (const char* kind : {"net", "pid", "ipc"}) command.arguments.push_back(namespace_of_ours(kind));
    command.limits = {std::chrono::seconds(10), mebibytes(256), mebibytes(1), 64};
    command.limits.files = 64;
    std::istringstream lines(run(jail.lock(command, contents), std::chrono::seconds(20), 65536).output);
    Found found;
    for (std::string line; std::getline(lines, line);)
        if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
            found[line.substr(0, tab)] = line.substr(tab + 1);
    return found;
}

std::string state_where_held(const Jail& jail, const std::string& name) {
    const std::string open = jail.is_weaker() ? gaps_of(name, jail.inmate(), rules_for_files(jail)) : "";
    return open.empty() ? enforced : "weaker: " + open;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// In the weaker jail a process was left behind on purpose: it must not be there any more.
std::string survivor(const Found& inspected) {
    const auto left = inspected.find("survivor");
    if (left == inspected.end()) return "the inspection came to no end";
    const int pid = std::atoi(left->second.c_str());
    if (pid <= 0) return "the inspection could leave no process";
    return ::kill(pid, 0) != 0 && errno == ESRCH ? "" : "a process outlives it";
}

std::string state_of_jail(const Jail& jail) {
    const std::string who = jail.name() == "another_user" ? "another user" : "the same user";
    return "weaker: no namespaces here; " + who + ", the filter of system calls" +
           (rules_for_files(jail) ? ", Landlock " + std::to_string(landlock_version()) : ", no Landlock");
}

/// What another user must be able to enter and read: nothing is mounted for it here. Empty: all is well.
std::string out_of_reach(const Places& places) {
    std::ifstream status("/proc/self/status");
    for (std::string name, mask; status >> name;)
        if (name == "Umask:" && status >> mask && (std::stoul(mask, nullptr, 8) & 05U) != 0)
            return "other users cannot read what is made here: umask is " + mask + "; umask 022 mends it";
    std::vector<fs::path> all = places.kept;
    all.push_back(places.programs);
    std::error_code missing;
    for (const fs::path& path : all)
        for (fs::path folder = fs::absolute(path); folder != folder.root_path(); folder = folder.parent_path())
            if (const auto about = fs::status(folder, missing);
                fs::is_directory(about) && (about.permissions() & fs::perms::others_exec) == fs::perms::none)
                return "other users cannot enter " + folder.string() + "; chmod o+x lets them";
    return "";
}

/// Who may have no core files at all cannot set the limit of 1 that keeps a crash from the program in core_pattern.
std::string state_without_a_limit_on_core_dumps(const std::string& found) {
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_max > 0) return "absent: " + found;
    char first = 0;
    std::ifstream("/proc/sys/kernel/core_pattern") >> first;
    if (first != '|') return enforced;
    return "degraded: the hard limit on core files is 0 here, so a crash starts the program that "
           "/proc/sys/kernel/core_pattern names; a hard limit of 1 or more keeps it from that";
}

Found with_jail(Found inspected, const Jail& jail, const Policy& policy) {
    Found found;
    if (jail.is_weaker()) {
        if (const std::string left = survivor(inspected); !left.empty()) inspected["own_processes"] = left;
        if (std::string& read = inspected["no_hidden_suites"]; read.ends_with(" opens"))
            read += " to every user; ./headway protections --close shuts it";
        found["jail"] = state_of_jail(jail);
    }
    for (const Protection& protection : protections()) {
        const std::string name(protection.name);
        const auto result = inspected.find(name);
        if (result == inspected.end() && name != "dies_with_grader")
            throw std::runtime_error("the inspection came to no end, and says nothing of " + name);
        const bool held = result == inspected.end() || result->second == "ok";  // a program inside cannot try them all
        if (policy.switched_off.contains(name))
            found[name] = "absent: switched off in the policy" + (held ? "" : "; " + result->second);
        else if (held && name == "bounded_folder" && !jail.is_weaker() && !bubblewrap_here().knows_size)
            found[name] = "degraded: this bubblewrap knows no --size; only compilers and counting write, file by file";
        else if (held)
            found[name] = state_where_held(jail, name);
        else if (name == "no_core_dumps")
            found[name] = state_without_a_limit_on_core_dumps(result->second);
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

/// The best first.
std::vector<Inmate> ways() {
    std::vector<Inmate> ways;
    const bool pool = has_pool_users();
    if (!bubblewrap().empty()) {
        if (pool) ways.push_back(Inmate::pool_user);
        ways.push_back(Inmate::own_namespace);
    }
    if (pool) ways.push_back(Inmate::another_user);
    if (::geteuid() != 0 && landlock_version() >= landlock_that_scopes_signals) ways.push_back(Inmate::same_user);
    return ways;
}

/// Why there is not even the weaker jail.
std::string why_not_weaker() {
    if (::geteuid() == 0) return "; nor the weaker jail: no user numbers from 1000000000 on can be given away here";
    return "; nor the weaker jail: without root it takes Landlock " + std::to_string(landlock_that_scopes_signals) +
           " (Linux 6.12), and here is " +
           (landlock_version() > 0 ? "version " + std::to_string(landlock_version()) : "none");
}

}  // namespace

Survey without_jail(const Policy& policy, const std::string& why) {
    Survey result{.jail = Jail::absent_jail(policy), .protections = {}};
    for (const Protection& protection : protections())
        result.protections[std::string(protection.name)] = "absent: " + why;
    // What Process does to each child, jailed or not.
    for (const char* name : {"dies_with_grader", "bounded_addresses", "bounded_files", "bounded_time"})
        result.protections[name] = enforced;
    add_outside(result.protections);
    return result;
}

Survey survey_in(Inmate inmate, const Places& places, const Policy& policy) {
    Policy adapted = policy;
    if (inmate == Inmate::own_namespace && !counts_processes_by_namespace())
        adapted.switched_off.insert("bounded_processes");
    Survey result{.jail = Jail(inmate, places.programs / "headway-enter", adapted), .protections = {}};
    if (inmate == Inmate::another_user)
        if (const std::string what = out_of_reach(places); !what.empty()) throw std::runtime_error(what);
    result.protections = with_jail(inspect(result.jail, places), result.jail, policy);
    add_outside(result.protections);
    return result;
}

Survey survey(const Places& places, const Policy& policy) {
    std::string why = bubblewrap().empty() ? "bubblewrap is not installed" : "";
    bool weaker = false;
    for (const Inmate way : ways()) {
        weaker |= is_weaker(way);
        try {
            return survey_in(way, places, policy);
        } catch (const std::exception& error) {
            why += (why.empty() ? "" : "; ") + first_line(error.what());
        }
    }
    return without_jail(policy, weaker ? why : why + why_not_weaker());
}

void require_jail(const Survey& survey, Unsafe unsafe) {
    if (unsafe == Unsafe::yes) return;
    if (!survey.jail.exists())
        throw std::runtime_error("this machine cannot jail other people's code: " +
                                 survey.protections.at("no_host_files").substr(std::string("absent: ").size()) +
                                 ". ./headway doctor shows what is missing; --unsafe runs it all the same.");
    for (const auto& [name, state] : survey.protections)
        if (state.starts_with("absent"))
            throw std::runtime_error("this machine cannot jail other people's code: " + name + " is " + state +
                                     ". ./headway doctor shows what is missing; --unsafe runs it all the same.");
}

void require_jail_for_a_class(const Survey& survey, Unsafe unsafe) {
    require_jail(survey, unsafe);
    if (unsafe == Unsafe::no && survey.jail.is_weaker() && !rules_for_files(survey.jail))
        throw std::runtime_error(
            "in the weaker jail, without Landlock, a submission can read the others that are graded here. Grade a "
            "class "
            "where bubblewrap works, or on a kernel with Landlock (./headway doctor); --unsafe grades all the same.");
}

}  // namespace headway::sandbox
