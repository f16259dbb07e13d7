// What the kernel's filter answers, read as the kernel reads it: for calls too that this kernel does not have.
#include "sandbox/system_calls.hpp"
#include "sandbox/entry/alone.hpp"
#include "sandbox/protections.hpp"
#include "sandbox/weaker_jail.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

constexpr std::uint32_t refused_as(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

std::vector<Refused> refused_in(Inmate inmate) {
    const Command command;
    const JailContents contents;
    Plan plan{.command = command, .contents = contents, .inmate = inmate, .entry = "/enter"};
    for (const Protection& protection : protections()) protection.apply(plan);
    if (is_weaker(inmate)) make_weaker(plan, RuleForFiles::no);
    return plan.refused;
}

/// Of a call of this architecture whose arguments are all 0.
class Filter : public testing::Test {
protected:
    static std::string filter(const std::vector<Refused>& refused) { return system_call_filter(refused); }

    void SetUp() override {
        if (filter({{"mount", EPERM}}).empty()) GTEST_SKIP() << "built without libseccomp";
    }

    static bool jumps(const sock_filter& step, std::uint32_t value) {
        switch (BPF_OP(step.code)) {
            case BPF_JEQ:
                return value == step.k;
            case BPF_JGT:
                return value > step.k;
            case BPF_JGE:
                return value >= step.k;
            case BPF_JSET:
                return (value & step.k) != 0;
            default:
                throw std::runtime_error("a jump that is not known here");
        }
    }

    /// The library's own word for this architecture is what it compares with first.
    static std::uint32_t architecture(const std::vector<sock_filter>& steps) {
        for (std::size_t at = 0; at + 1 < steps.size(); ++at)
            if (steps[at].code == (BPF_LD | BPF_W | BPF_ABS) && steps[at].k == offsetof(seccomp_data, arch))
                return steps[at + 1].k;
        return 0;
    }

    static std::uint32_t answer(const std::string& bytes, std::uint32_t number) {
        std::vector<sock_filter> steps(bytes.size() / sizeof(sock_filter));
        std::memcpy(steps.data(), bytes.data(), steps.size() * sizeof(sock_filter));
        std::uint32_t value = 0;
        for (std::size_t at = 0; at < steps.size(); ++at) {
            const sock_filter& step = steps[at];
            switch (BPF_CLASS(step.code)) {
                case BPF_LD:
                    value = step.k == offsetof(seccomp_data, nr)     ? number
                            : step.k == offsetof(seccomp_data, arch) ? architecture(steps)
                                                                     : 0;
                    break;
                case BPF_ALU:
                    value &= step.k;
                    break;
                case BPF_JMP:
                    at += BPF_OP(step.code) == BPF_JA ? step.k : jumps(step, value) ? step.jt : step.jf;
                    break;
                case BPF_RET:
                    return step.k;
                default:
                    throw std::runtime_error("a step that is not known here");
            }
        }
        throw std::runtime_error("the filter has no end");
    }
};

TEST_F(Filter, RefusesByNumbersThatTheLibraryMayNotKnow) {
    const std::string some = filter({{"statmount", EPERM}, {"open_tree_attr", EPERM}, {"setxattrat", EPERM}});
    for (const std::uint32_t number : {457U, 467U, 463U}) EXPECT_EQ(answer(some, number), refused_as(EPERM)) << number;
    for (const std::uint32_t number : {458U, 468U, 464U}) EXPECT_EQ(answer(some, number), SECCOMP_RET_ALLOW) << number;
}

TEST_F(Filter, AnswersWhatIsYoungerThanItsListAsAnOldKernelDoes) {
    const std::string some = filter({{"mount", EPERM}});
    EXPECT_EQ(answer(some, 469), SECCOMP_RET_ALLOW);
    for (const std::uint32_t number : {470U, 471U, 600U, 5000U, (1U << 30U) - 1})
        EXPECT_EQ(answer(some, number), refused_as(ENOSYS)) << number;
}

/// glibc then asks by clone, whose flags a filter can see.
TEST_F(Filter, AnswersClone3AsAnOldKernelDoes) {
    const std::string whole = filter(refused_in(Inmate::pool_user));
    EXPECT_EQ(answer(whole, SYS_clone3), refused_as(ENOSYS));
    EXPECT_EQ(answer(whole, SYS_clone), SECCOMP_RET_ALLOW);
    for (const std::uint32_t number : {457U, 458U, 467U, 470U}) EXPECT_NE(answer(whole, number), SECCOMP_RET_ALLOW);
}

TEST_F(Filter, GivesFilesNoAttributesInAnyJail) {
    constexpr std::uint32_t setxattrat = 463;
    for (const Inmate inmate : {Inmate::pool_user, Inmate::own_namespace, Inmate::another_user, Inmate::same_user})
        for (const std::uint32_t number :
             {std::uint32_t{SYS_setxattr}, std::uint32_t{SYS_lsetxattr}, std::uint32_t{SYS_fsetxattr}, setxattrat})
            EXPECT_EQ(answer(filter(refused_in(inmate)), number), refused_as(EPERM)) << number;
}

#ifdef __x86_64__
TEST_F(Filter, LetsNobodyInByTheNumbersOfX32) {
    EXPECT_THAT(answer(filter({{"mount", EPERM}}), (1U << 30U) + 41), testing::Ne(SECCOMP_RET_ALLOW));
}
#endif

TEST_F(Filter, LeavesOutNoNameOfAnyJail) {
    EXPECT_THROW(filter({{"no_such_system_call", EPERM}}), std::runtime_error);
    for (const Inmate inmate : {Inmate::pool_user, Inmate::own_namespace, Inmate::another_user, Inmate::same_user}) {
        for (const Refused& one : refused_in(inmate)) EXPECT_NO_THROW(number_of(one.name)) << one.name;
        EXPECT_NO_THROW(filter(refused_in(inmate)));
    }
}

TEST_F(Filter, CountsAsTheKernelsHeadersDo) {
    EXPECT_EQ(number_of("clone3"), SYS_clone3);
    EXPECT_EQ(number_of("pidfd_getfd"), SYS_pidfd_getfd);
#ifdef SYS_futex_waitv
    EXPECT_EQ(number_of("futex_waitv"), SYS_futex_waitv);
#endif
#ifdef SYS_listmount
    EXPECT_EQ(number_of("listmount"), SYS_listmount);
#endif
#ifdef SYS_file_setattr
    EXPECT_EQ(number_of("file_setattr"), SYS_file_setattr);
#endif
}

int starts_threads() {
    int sum = 0;
    for (int i = 0; i < 3; ++i) std::thread([&] { sum += 1; }).join();
    return sum == 3 ? 0 : 2;
}

/// @return what a process under the whole filter of a jail ends with: 0 if its threads work
int starts_threads_under(const std::string& bytes) {
    std::string copy = bytes;
    sock_fprog program{};
    program.len = static_cast<unsigned short>(copy.size() / sizeof(sock_filter));
    program.filter = reinterpret_cast<sock_filter*>(copy.data());
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 1;
    return starts_threads();
}

TEST_F(Filter, LetsThreadsStart) {
    const std::string whole = filter(refused_in(Inmate::pool_user));
    EXPECT_EXIT(::_exit(starts_threads_under(whole)), testing::ExitedWithCode(0), "");
}

/// @param action  of one that has been told to stay alone, with the password of its one execve
template <class Action>
void alone(Action action) {
    std::uint64_t password = 0;
    ::_exit(entry::stay_alone(password) ? action(password) : 1);
}

long become_true(std::uint64_t password) {
    char name[] = "true";
    char* const words[] = {name, nullptr};
    char* const none[] = {nullptr};
    return ::syscall(SYS_execve, "/bin/true", words, none, password);
}

TEST(Alone, StartsThreadsAndNoProcess) {
    EXPECT_EXIT(alone([](std::uint64_t) { return starts_threads(); }), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(alone([](std::uint64_t) { return static_cast<int>(::fork()); }), testing::KilledBySignal(SIGSYS), "");
    EXPECT_EXIT(alone([](std::uint64_t) { return std::system("true"); }), testing::KilledBySignal(SIGSYS), "");
    EXPECT_EXIT(alone([](std::uint64_t) { return ::syscall(SYS_clone3, nullptr, 0) < 0 && errno == ENOSYS ? 0 : 1; }),
                testing::ExitedWithCode(0), "");
}

TEST(Alone, BecomesAnotherProgramByThePasswordOnly) {
    const auto by = [](std::uint64_t change) {
        alone([change](std::uint64_t password) { return static_cast<int>(become_true(password ^ change)); });
    };
    EXPECT_EXIT(by(0), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(by(1), testing::KilledBySignal(SIGSYS), "");
    EXPECT_EXIT(by(std::uint64_t{1} << 63U), testing::KilledBySignal(SIGSYS), "");
}

}  // namespace
}  // namespace headway::sandbox
