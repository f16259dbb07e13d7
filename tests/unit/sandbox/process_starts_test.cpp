// Every place in the grader, the labs and the benchmarks that starts a process, against one short list: what a student
// wrote runs in the jail, and nobody starts it another way by accident.
#include "submission/digest.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

/// Calls that start a process, or that make something startable without a jail. A Tensor has a clone() too, so that
/// one is sought as ::clone.
const std::set<std::string> starters{"fork",   "vfork",   "clone3",       "posix_spawn", "posix_spawnp",
                                     "execv",  "execve",  "execvp",       "execvpe",     "execl",
                                     "execle", "execlp",  "fexecve",      "execveat",    "popen",
                                     "system", "trusted", "without_jail", "absent_jail"};

using Places = std::map<std::string, std::set<std::string>>;

/// By file, relative to the checkout. A line more here is a way more around the jail: say why none of a student's code
/// can come that way.
const Places allowed{
    // The one place that starts processes; it takes a Launch, which Jail::lock or trusted() has made.
    {"grader/sandbox/process.cpp", {"trusted"}},
    {"grader/sandbox/child.cpp", {"execve"}},  // become(), which takes the Launch that Process::start was given
    {"grader/sandbox/process.hpp", {"trusted"}},
    {"grader/sandbox/orphans.cpp", {"fork"}},  // fork_own_child(), for process.cpp
    // Within the jail: the first programs there become the one that is jailed.
    {"grader/sandbox/entry/enter.cpp", {"fork", "execve"}},
    {"grader/sandbox/entry/guard.cpp", {"fork", "execve"}},
    {"grader/sandbox/entry/among_others.cpp", {"fork"}},  // headway-inspect, which starts nothing
    // Where no jail can be built: require_jail() then refuses what is not one's own, unless somebody says --unsafe.
    {"grader/sandbox/survey.cpp", {"absent_jail", "without_jail"}},
    {"grader/sandbox/survey.hpp", {"without_jail"}},
    {"grader/sandbox/jail.cpp", {"absent_jail"}},
    {"grader/sandbox/jail.hpp", {"absent_jail"}},
    {"grader/grading/course.cpp", {"without_jail"}},  // the build that counts coverage of Headway itself
    // try, debug and lab on one's own exercises/: OwnProgram takes no other folder.
    {"grader/cli/own_program.cpp", {"execv", "execvp", "OwnProgram"}},
    {"grader/cli/own_program.hpp", {"OwnProgram"}},
    {"grader/cli/try_command.cpp", {"OwnProgram"}},
    {"grader/cli/debug_command.cpp", {"OwnProgram"}},
    {"grader/cli/lab_command.cpp", {"OwnProgram"}},
    {"grader/cli/instructor_commands.cpp", {"execv"}},  // headway-instructor, with what was typed
    // Programs that no student wrote: see Trusted.
    {"grader/grading/judge.cpp", {"trusted"}},
    {"grader/suites/06_catch_the_bug/conversation.cpp", {"trusted"}},
    {"grader/build/gcov.cpp", {"trusted"}},
    {"grader/verify/proof.cpp", {"trusted"}},
    {"grader/classroom/slurm.cpp", {"trusted"}},
    {"grader/cli/pack_command.cpp", {"trusted"}},
    {"grader/cli/diff_command.cpp", {"trusted"}},
    {"grader/cli/lesson_command.cpp", {"trusted"}},
    {"grader/terminal/console.cpp", {"popen"}},  // the pager
    {"bench/jail_start.cpp", {"trusted"}},
    {"bench/class_overhead.cpp", {"fork"}},
    {"bench/attention.cpp", {"fork", "execl"}},
    {"bench/pytorch.cpp", {"fork", "execl"}},
};

/// Without comments and the texts of strings, which may speak of such calls.
std::string code_of(const fs::path& file) {
    static const std::regex not_code(R"re(//[^\n]*|/\*[^*]*\*/|"(\\.|[^"\\\n])*")re");
    return std::regex_replace(build::read_file(file), not_code, " ");
}

std::set<std::string> starts_in(const std::string& code) {
    static const std::regex call(R"(\b(\w+)\s*(\(|\{))");
    std::set<std::string> found;
    for (std::sregex_iterator it(code.begin(), code.end(), call), end; it != end; ++it)
        if (starters.contains((*it)[1])) found.insert((*it)[1]);
    static const std::regex clone_call(R"(::\s*clone\s*\()");
    static const std::regex by_number(R"(\bSYS_(clone3?|fork|vfork|execve|execveat)\b)");
    static const std::regex own_program(R"(\bOwnProgram\b)");
    for (const auto& [name, pattern] :
         {std::pair{"clone", clone_call}, {"SYS", by_number}, {"OwnProgram", own_program}})
        if (std::regex_search(code, pattern)) found.insert(name);
    return found;
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".hpp"; }

TEST(ProcessStarts, AreThoseOfTheList) {
    const fs::path root = HEADWAY_SOURCE_DIR;
    Places found;
    for (const char* folder : {"grader", "labs", "bench"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && is_source(entry.path()))
                if (auto starts = starts_in(code_of(entry.path())); !starts.empty())
                    found[entry.path().lexically_relative(root).string()] = std::move(starts);
    for (const auto& [file, starts] : found) {
        const auto known = allowed.find(file);
        EXPECT_THAT(known == allowed.end() ? std::set<std::string>() : known->second, testing::ContainerEq(starts))
            << file
            << " starts processes in ways that are not on the list: a student's program runs by Jail::lock only";
    }
    for (const auto& [file, starts] : allowed)
        EXPECT_TRUE(found.contains(file)) << file << " is on the list and starts nothing any more: take it off";
}

TEST(ProcessStarts, ASecondWayWouldBeSeen) {
    EXPECT_THAT(starts_in("int f() { return ::execv (path, words); }"), testing::ElementsAre("execv"));
    EXPECT_THAT(starts_in("run(sandbox::trusted(command, Trusted::judge))"), testing::ElementsAre("trusted"));
    EXPECT_THAT(starts_in("const Jail none = Jail::absent_jail(policy);"), testing::ElementsAre("absent_jail"));
    EXPECT_THAT(starts_in("syscall(SYS_execve, path, words, none)"), testing::ElementsAre("SYS"));
    EXPECT_THAT(starts_in("std::system(line.c_str())"), testing::ElementsAre("system"));
}

}  // namespace
}  // namespace headway::sandbox
