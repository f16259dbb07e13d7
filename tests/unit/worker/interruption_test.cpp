// A worker says where it is when its time is up or a signal ends it, if it can and wants to.
#include "student/worker_link.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using verdict::FailureKind;

NoAnswer asked(const std::string& function) {
    sandbox::Command command;
    command.arguments = {STOPPED_WORKER};
    WorkerLink link(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway), {});
    try {
        link.exchange({1, function, {}}, milliseconds(100));
    } catch (const NoAnswer& why) {
        return why;
    }
    ADD_FAILURE() << function << " answered";
    return {};
}

/// The functions in which these addresses are, as the program's file has them.
std::string names_at(const std::vector<std::int64_t>& addresses) {
    sandbox::Command command;
    command.arguments = {"/usr/bin/addr2line", "--functions", "--demangle", "--exe", STOPPED_WORKER};
    for (const std::int64_t address : addresses) command.arguments.push_back(fmt::format("{:#x}", address));
    return sandbox::run(sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway),
                        std::chrono::seconds(60), std::size_t{1} << 20U)
        .output;
}

void expect_stopped_in(const std::string& where, const NoAnswer& why) {
    ASSERT_THAT(why.frames, Not(IsEmpty())) << why.message;
    const std::string names = names_at(why.frames);
    const std::size_t own = names.find("(anonymous namespace)::");
    EXPECT_EQ(names.find("(anonymous namespace)::" + where + "("), own) << names;
    EXPECT_THAT(names, HasSubstr("headway::worker::Dispatcher::"));
}

TEST(Interruption, ACallWhoseTimeIsUpSaysWhereItIs) {
    for (const char* function : {"spin", "rest", "ask_for_memory", "spin_with_a_child"}) {
        const NoAnswer why = asked(function);
        EXPECT_EQ(why.kind, FailureKind::timeout) << function << ": " << why.message;
        expect_stopped_in(function == std::string("spin_with_a_child") ? "spin" : function, why);
    }
}

// In a sanitized build of the tests the sanitizer takes these signals, and reports them itself.
#ifdef HEADWAY_ASAN
constexpr bool signals_are_ours = false;
#else
constexpr bool signals_are_ours = true;
#endif

TEST(Interruption, ASignalThatEndsItSaysWhereItWas) {
    if (!signals_are_ours) GTEST_SKIP() << "the sanitizer takes it";
    const NoAnswer crash = asked("touch_nothing");
    EXPECT_EQ(crash.kind, FailureKind::crash);
    EXPECT_THAT(crash.message, HasSubstr("crashed: SIGSEGV"));
    expect_stopped_in("touch_nothing", crash);
    const NoAnswer abort = asked("give_up");
    EXPECT_EQ(abort.kind, FailureKind::crash);
    EXPECT_THAT(abort.message, HasSubstr("aborted: SIGABRT"));
    expect_stopped_in("give_up", abort);
}

TEST(Interruption, AStackThatIsUsedUpIsNeeded) {
    if (!signals_are_ours) GTEST_SKIP() << "the sanitizer takes it";
    const NoAnswer why = asked("recurse");
    EXPECT_EQ(why.kind, FailureKind::crash);
    EXPECT_EQ(why.message, used_up_the_stack);
    ASSERT_THAT(why.frames, Not(IsEmpty())) << why.message;
    EXPECT_THAT(names_at(why.frames), HasSubstr("(anonymous namespace)::deeper("));
}

TEST(Interruption, SilenceAndLiesChangeNothingElse) {
    const NoAnswer deaf = asked("spin_deaf");
    EXPECT_EQ(deaf.kind, FailureKind::timeout);
    EXPECT_THAT(deaf.frames, IsEmpty());
    const NoAnswer late = asked("answer_when_asked");
    EXPECT_EQ(late.kind, FailureKind::timeout) << "an answer that comes when its time is up is none";
    EXPECT_THAT(late.frames, IsEmpty());
}

TEST(Interruption, ASpoiltStackIsWalkedNoFurtherThanItGoes) {
    if (!signals_are_ours) GTEST_SKIP() << "the sanitizer ends what spoils it";
    EXPECT_EQ(asked("spin_on_a_spoilt_stack").kind, FailureKind::timeout);
}

}  // namespace
}  // namespace headway::judge
