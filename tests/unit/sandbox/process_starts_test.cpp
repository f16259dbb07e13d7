// Every place in the grader, the labs and the benchmarks that starts a process, against one short list: what a student
// wrote runs in the jail, and nobody starts it another way by accident.
#include "submission/digest.hpp"
#include "submission/source_words.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace headway::sandbox {
namespace {

namespace fs = std::filesystem;

/// What starts a process, runs foreign code in this one, or makes something startable without a jail.
const std::set<std::string> starters{"fork",    "vfork",      "clone3",       "posix_spawn", "posix_spawnp", "execv",
                                     "execve",  "execvp",     "execvpe",      "execl",       "execle",       "execlp",
                                     "fexecve", "execveat",   "popen",        "system",      "dlopen",       "dlmopen",
                                     "trusted", "OwnProgram", "without_jail", "absent_jail"};

/// The same by the numbers of system calls.
const std::set<std::string> numbered{"clone", "clone3", "fork", "vfork", "execve", "execveat"};

/// How often each of them is named.
using Starts = std::map<std::string, int>;
using Places = std::map<std::string, Starts>;

/// By file, relative to the checkout. A line more here, or a larger number, is a way more around the jail: say why none
/// of a student's code can come that way.
const Places allowed{
    // The one place that starts processes; it takes a Launch, which Jail::lock or trusted() has made.
    {"grader/sandbox/process.cpp", {{"trusted", 1}}},
    {"grader/sandbox/child.cpp", {{"execve", 1}}},  // become(), which takes the Launch that Process::start was given
    {"grader/sandbox/process.hpp", {{"trusted", 2}}},
    {"grader/sandbox/orphans.cpp", {{"fork", 1}}},  // fork_own_child(), for process.cpp
    // Within the jail: the first programs there become the one that is jailed.
    {"grader/sandbox/entry/enter.cpp", {{"fork", 1}, {"SYS_execve", 1}}},
    // A filter that refuses them.
    {"grader/sandbox/entry/alone.cpp",
     {{"SYS_clone", 1}, {"SYS_clone3", 1}, {"SYS_fork", 1}, {"SYS_vfork", 1}, {"SYS_execve", 1}, {"SYS_execveat", 1}}},
    {"grader/sandbox/entry/guard.cpp", {{"fork", 2}, {"execve", 1}}},
    {"grader/sandbox/entry/among_others.cpp", {{"fork", 2}}},  // headway-inspect, which starts nothing
    // Where no jail can be built: require_jail() then refuses what is not one's own, unless somebody says --unsafe.
    {"grader/sandbox/survey.cpp", {{"absent_jail", 1}, {"without_jail", 2}}},
    {"grader/sandbox/survey.hpp", {{"without_jail", 1}}},
    {"grader/sandbox/jail.cpp", {{"absent_jail", 2}}},
    {"grader/sandbox/jail.hpp", {{"absent_jail", 1}}},
    {"grader/grading/course.cpp", {{"without_jail", 1}}},  // the build that counts coverage of Headway itself
    // try, debug and lab on one's own exercises/: OwnProgram takes no other folder.
    {"grader/cli/own_program.cpp", {{"execv", 1}, {"execvp", 1}, {"OwnProgram", 4}}},
    {"grader/cli/own_program.hpp", {{"OwnProgram", 2}}},
    {"grader/cli/try_command.cpp", {{"OwnProgram", 1}}},
    {"grader/cli/debug_command.cpp", {{"OwnProgram", 1}}},
    {"grader/cli/lab_command.cpp", {{"OwnProgram", 1}}},
    {"grader/cli/instructor_commands.cpp", {{"execv", 1}}},  // headway-instructor, with what was typed
    // Programs that no student wrote: see Trusted.
    {"grader/grading/judge.cpp", {{"trusted", 1}}},
    {"grader/suites/06_catch_the_bug/conversation.cpp", {{"trusted", 1}}},
    {"grader/build/gcov.cpp", {{"trusted", 1}}},
    {"grader/verify/proof.cpp", {{"trusted", 1}}},
    {"grader/classroom/slurm.cpp", {{"trusted", 1}}},
    {"grader/cli/pack_command.cpp", {{"trusted", 1}}},
    {"grader/cli/diff_command.cpp", {{"trusted", 1}}},
    {"grader/cli/lesson_command.cpp", {{"trusted", 1}}},
    {"grader/terminal/console.cpp", {{"popen", 1}}},  // the pager
    {"bench/jail_start.cpp", {{"trusted", 1}}},
    {"bench/class_overhead.cpp", {{"fork", 2}}},
    {"bench/attention.cpp", {{"fork", 1}, {"execl", 1}}},
    {"bench/pytorch.cpp", {{"fork", 1}, {"execl", 1}}},
};

bool is_numbered(const std::string& name) {
    for (const std::string_view prefix : {"SYS_", "__NR_"})
        if (name.starts_with(prefix) && numbered.contains(name.substr(prefix.size()))) return true;
    return false;
}

/// Whether they are called or handed on: a function's address starts a process as well. A Tensor has a clone() too, so
/// that one is sought as ::clone.
Starts starts_in(const std::string& source) {
    const std::vector<build::Word> words = build::words_of(source);
    Starts found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& name = words[i].text;
        const bool is_global = i > 1 && words[i - 1].text == ":" && words[i - 2].text == ":";
        if (starters.contains(name) || is_numbered(name) || (name == "clone" && is_global)) ++found[name];
    }
    return found;
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".hpp"; }

TEST(ProcessStarts, AreThoseOfTheList) {
    const fs::path root = HEADWAY_SOURCE_DIR;
    Places found;
    for (const char* folder : {"grader", "labs", "bench"})
        for (const auto& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && is_source(entry.path()))
                if (auto starts = starts_in(build::read_file(entry.path())); !starts.empty())
                    found[entry.path().lexically_relative(root).string()] = std::move(starts);
    for (const auto& [file, starts] : found) {
        const auto known = allowed.find(file);
        EXPECT_THAT(known == allowed.end() ? Starts() : known->second, testing::ContainerEq(starts))
            << file
            << " starts processes in ways that are not on the list: a student's program runs by Jail::lock only";
    }
    for (const auto& [file, starts] : allowed)
        EXPECT_TRUE(found.contains(file)) << file << " is on the list and starts nothing any more: take it off";
}

TEST(ProcessStarts, ASecondWayWouldBeSeen) {
    EXPECT_EQ(starts_in("int f() { return ::execv (path, words); }"), (Starts{{"execv", 1}}));
    EXPECT_EQ(starts_in("run(sandbox::trusted(command, Trusted::judge))"), (Starts{{"trusted", 1}}));
    EXPECT_EQ(starts_in("const Jail none = Jail::absent_jail(policy);"), (Starts{{"absent_jail", 1}}));
    EXPECT_EQ(starts_in("syscall(SYS_execve, path, words, none)"), (Starts{{"SYS_execve", 1}}));
    EXPECT_EQ(starts_in("syscall(__NR_clone3, &how, sizeof how)"), (Starts{{"__NR_clone3", 1}}));
    EXPECT_EQ(starts_in("std::system(line.c_str())"), (Starts{{"system", 1}}));
    EXPECT_EQ(starts_in("void* library = dlopen(path, RTLD_NOW);"), (Starts{{"dlopen", 1}}));
    EXPECT_EQ(starts_in("const auto become = &::execve;"), (Starts{{"execve", 1}}));
    EXPECT_EQ(starts_in("copy = ::clone(run, stack, flags, nullptr); tensor.clone();"), (Starts{{"clone", 1}}));
}

TEST(ProcessStarts, ASecondOneInAFileOfTheListWouldBeSeen) {
    EXPECT_EQ(starts_in("run(trusted(one, Trusted::judge)); run(trusted(other, Trusted::judge));"),
              (Starts{{"trusted", 2}}));
}

TEST(ProcessStarts, TextsHideNothingAndAreNoStarts) {
    EXPECT_EQ(starts_in("if (c == '\"') ::execv(path, words);  // \""), (Starts{{"execv", 1}}));
    EXPECT_EQ(starts_in("wait(1'000); ::fork(); wait(1'000);"), (Starts{{"fork", 1}}));
    EXPECT_EQ(starts_in("// fork()\n/* execve() */ say(\"system()\", R\"(\"trusted()\")\");"), Starts());
}

}  // namespace
}  // namespace headway::sandbox
