// The jail without namespaces. It needs no poor machine: where bubblewrap works, this one does too.
#include "sandbox/weaker_jail.hpp"
#include "sandbox/orphans.hpp"
#include "sandbox/survey.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

using Names = std::set<std::string>;

Names private_folders() {
    Names names;
    for (const auto& entry : std::filesystem::directory_iterator("/tmp"))
        if (const std::string name = entry.path().filename().string(); name.starts_with("headway-") && name.size() > 40)
            names.insert(name);
    return names;
}

/// Those that have come since and stay. Other tests' jails have folders too, which go with them.
Names left_since(const Names& before) {
    Names left = private_folders();
    for (const std::string& name : before) left.erase(name);
    for (int i = 0; i < 300 && !left.empty(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const Names now = private_folders();
        std::erase_if(left, [&](const std::string& name) { return !now.contains(name); });
    }
    return left;
}

/// The kind that who runs the tests can have; without one there is nothing to test.
class WeakerJail : public testing::Test {
protected:
    void SetUp() override {
        const bool root = ::geteuid() == 0;
        if (root ? !has_pool_users() : landlock_version() < landlock_that_scopes_signals) GTEST_SKIP() << "not here";
        if (system_call_filter({{"mount", EPERM}}).empty()) GTEST_SKIP() << "built without libseccomp";
    }
    static Jail jail() {
        return {::geteuid() == 0 ? Inmate::another_user : Inmate::same_user,
                std::filesystem::path(HEADWAY_PROGRAMS) / "headway-enter", Policy{}};
    }
    static Command shell(const std::string& line) {
        Command command;
        command.arguments = {"/bin/sh", "-c", line};
        command.environment = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp"};
        command.limits = {std::chrono::seconds(20), 0, mebibytes(8), 64, mebibytes(200)};
        return command;
    }
    static JailContents tools() { return {.program = {}, .readable = {}, .tools = true, .folder = mebibytes(16)}; }
    static Finished in_jail(const std::string& line, int seconds = 30) {
        return run(jail().lock(shell(line), tools()), std::chrono::seconds(seconds), 65536);
    }
};

TEST_F(WeakerJail, EndsAsItEndsWithout) {
    EXPECT_TRUE(in_jail("exit 0").ended.success());
    EXPECT_EQ(in_jail("exit 7").ended.exit_code, 7);
    EXPECT_EQ(in_jail("kill -SEGV $$").ended.signal, SIGSEGV);
}

TEST_F(WeakerJail, AProgramThatIsNotThereIsSaidToBe) {
    Command command = shell("");
    command.arguments = {"/usr/nowhere/program"};
    EXPECT_THROW(run(jail().lock(command, tools()), std::chrono::seconds(30), 4096), std::system_error);
}

TEST_F(WeakerJail, StartsAgainAndAgainAndLeavesNoFolder) {
    const Names before = private_folders();
    const Launch locked = jail().lock(shell("exit 3"), tools());
    for (int i = 0; i < 20; ++i) ASSERT_EQ(Process::start(locked, Channel::yes).wait().exit_code, 3) << i;
    EXPECT_THAT(left_since(before), testing::IsEmpty());
}

TEST_F(WeakerJail, LeavesOneFileBehind) {
    const build::TemporaryFolder folder;
    const auto product = folder.path() / "product";
    const Command command = shell("echo made > $TMPDIR/product; mkdir -p $TMPDIR/a/b; echo lost > $TMPDIR/a/b/c");
    run(jail().lock(command, tools(), product), std::chrono::seconds(30), 4096);
    EXPECT_EQ(text_of(product), "made\n");
}

TEST_F(WeakerJail, RemovesWhatIsDeepOrShutAndFollowsNoLink) {
    const build::TemporaryFolder outside;
    outside.write("kept", "");
    const Names before = private_folders();
    in_jail("cd $TMPDIR; ln -s " + outside.path().string() +
            " link; mkdir shut; touch shut/file; i=0; while [ $i -lt 600 ]; do mkdir deep; cd deep; "
            "i=$((i+1)); done; chmod 0 $TMPDIR/shut");
    EXPECT_THAT(left_since(before), testing::IsEmpty());
    EXPECT_TRUE(std::filesystem::exists(outside.path() / "kept"));
}

TEST_F(WeakerJail, NobodyOutlivesIt) {
    const auto finished = in_jail("setsid sh -c 'trap \"\" TERM HUP; echo $$; exec >&- 2>&-; sleep 100' & sleep 0.3");
    const int daemon = std::stoi(finished.output);
    ASSERT_GT(daemon, 1);
    EXPECT_EQ(::kill(daemon, 0), -1);
}

/// Passes on what its jail prints, and waits to be killed.
[[noreturn]] void be_a_judge(const Launch& launch, int way) noexcept {
    ::setsid();
    const Process process = Process::start(launch, Channel::yes);
    std::array<char, 100> told{};
    const ssize_t got = ::read(process.output(), told.data(), told.size());
    if (got > 0 && ::write(way, told.data(), static_cast<std::size_t>(got)) == got) ::pause();
    ::_exit(1);
}

/// Its keeper must have ended all of it by the time that the judge's own parent goes on, and may end.
TEST_F(WeakerJail, NobodyOutlivesAJudgeThatDies) {
    adopt_orphans();
    const Names before = private_folders();
    const Launch locked = jail().lock(
        shell("for i in 1 2 3; do setsid sh -c 'trap \"\" TERM; while :; do :; done' & done; echo $!; wait"), tools());
    for (int i = 0; i < 5; ++i) {
        std::array<int, 2> way{};
        ASSERT_EQ(::pipe(way.data()), 0);
        const pid_t judge = fork_own_child();
        ASSERT_GE(judge, 0);
        if (judge == 0) be_a_judge(locked, way[1]);
        ::close(way[1]);
        std::array<char, 100> told{};
        EXPECT_GT(::read(way[0], told.data(), told.size() - 1), 0);
        ::close(way[0]);
        ::kill(judge, SIGKILL);
        ::waitpid(judge, nullptr, 0);
        forget_own_child(judge);
        bury_orphans();
        const int busy = std::atoi(told.data());
        ASSERT_GT(busy, 1);
        EXPECT_EQ(::kill(busy, 0), -1) << i;
    }
    EXPECT_THAT(left_since(before), testing::IsEmpty());
}

TEST_F(WeakerJail, NobodyOutlivesItsTime) {
    const auto finished = in_jail("(setsid sleep 1000 &) ; echo $$; sleep 1000", 1);
    EXPECT_TRUE(finished.timed_out);
    EXPECT_LT(finished.seconds.count(), 10);
    EXPECT_EQ(::kill(std::stoi(finished.output), 0), -1);
}

TEST_F(WeakerJail, ForkBombsEnd) {
    const auto finished = in_jail("bomb() { bomb & bomb & }; bomb; sleep 1000", 2);
    EXPECT_TRUE(finished.timed_out || !finished.ended.success());
    EXPECT_LT(finished.seconds.count(), 20);
}

TEST_F(WeakerJail, SeesWhatItNeeds) {
    if (landlock_version() == 0) GTEST_SKIP() << "no Landlock here";
    const build::TemporaryFolder secret;
    std::filesystem::permissions(secret.path(), std::filesystem::perms::all);
    const auto file = secret.write("secret", "the secret").string();
    EXPECT_THAT(in_jail("cat " + file + " /etc/passwd; ls /tmp /home; cat /proc/$PPID/cmdline").output,
                Not(testing::AnyOf(HasSubstr("the secret"), HasSubstr("root:x"), HasSubstr("headway-guard"))));
    EXPECT_FALSE(in_jail("echo x > " + secret.path().string() + "/new").ended.success());
    EXPECT_FALSE(std::filesystem::exists(secret.path() / "new"));
    JailContents contents = tools();
    contents.readable = {secret.path()};
    EXPECT_EQ(run(jail().lock(shell("cat " + file), contents), std::chrono::seconds(30), 4096).output, "the secret");
}

TEST_F(WeakerJail, ASecretWithinTheSystemsFoldersIsNotSeen) {
    if (landlock_version() == 0) GTEST_SKIP() << "no Landlock here";
    JailContents contents = tools();
    contents.secret = "/usr/include";
    const auto finished = run(jail().lock(shell("cat /usr/include/stdio.h"), contents), std::chrono::seconds(30), 4096);
    EXPECT_FALSE(finished.ended.success());
    EXPECT_TRUE(run(jail().lock(shell("cat /usr/bin/env"), contents), std::chrono::seconds(30), 4096).ended.success());
}

TEST_F(WeakerJail, TheInspectionFindsWhatKeepsMarksTrustworthy) {
    const Policy whole;
    const Survey found = survey_in(jail().inmate(), {HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, whole);
    EXPECT_THAT(found.protections.at("jail"), HasSubstr("weaker: "));
    for (const char* name :
         {"no_hidden_suites", "no_sockets", "no_core_dumps", "no_tracing", "no_kernel_doors", "no_hidden_memory"})
        EXPECT_EQ(found.protections.at(name), "enforced") << name;
    EXPECT_NO_THROW(require_jail(found, Unsafe::no));
    for (const char* name :
         {"no_sockets", "no_core_dumps", "no_tracing", "no_hidden_memory", "no_kernel_doors", "bounded_processes"}) {
        Policy hole;
        hole.switched_off.insert(name);
        const Survey missed = survey_in(jail().inmate(), {HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, hole);
        EXPECT_THAT(missed.protections.at(name), testing::StartsWith("absent: ")) << name;
        EXPECT_THROW(require_jail(missed, Unsafe::no), std::runtime_error) << name;
    }
}

/// The inspection tries, as the user who owns all of them too.
TEST_F(WeakerJail, ChangesNoAttributesOfFiles) {
    const Survey found = survey_in(jail().inmate(), {HEADWAY_PROGRAMS, HEADWAY_SOURCE_DIR}, Policy{});
    EXPECT_THAT(found.protections.at("read_only_files"), Not(testing::StartsWith("absent: ")));
}

TEST(Gaps, AreOfProtectionsThatThereAre) {
    for (const Gap& gap : gaps())
        EXPECT_TRUE(std::any_of(protections().begin(), protections().end(), [&](const Protection& one) {
            return one.name == gap.protection;
        })) << gap.protection;
}

TEST(Gaps, AreToldToInstructors) {
    const std::string readme = text_of(HEADWAY_SOURCE_DIR "/classroom/README.md");
    for (const Gap& gap : gaps()) EXPECT_THAT(readme, HasSubstr("| " + std::string(gap.what) + " |"));
}

TEST(RequireJail, AClassNeedsMoreThanPermissions) {
    Policy without_rule_for_files;
    without_rule_for_files.switched_off.insert("no_host_files");
    const Survey one{.jail = Jail(Inmate::another_user, {}, without_rule_for_files),
                     .protections = {{"no_host_files", "weaker: it reads what every user here may read"}}};
    EXPECT_NO_THROW(require_jail(one, Unsafe::no));
    EXPECT_THROW(require_jail_for_a_class(one, Unsafe::no), std::runtime_error);
    EXPECT_NO_THROW(require_jail_for_a_class(one, Unsafe::yes));
}

}  // namespace
}  // namespace headway::sandbox
