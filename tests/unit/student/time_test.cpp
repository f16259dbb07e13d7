// What a worker's time is: what it computes and what it sleeps, and not what this machine has no processor for.
#include "student/student.hpp"
#include "student/worker_link.hpp"
#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::judge {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A program in the place of a worker, which never answers.
/// @param before_main  what it does before it reads what it is asked
sandbox::Launch shell(const std::string& script, const std::string& before_main = ":") {
    sandbox::Command command;
    command.arguments = {"/bin/sh", "-c", before_main + "; dd bs=4096 count=1 <&3 >/dev/null 2>&1; " + script};
    command.environment = {"PATH=/usr/bin:/bin"};
    return sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
}

const char* const computes = "while :; do :; done";
const char* const sleeps = "sleep 100";
/// Wakes and computes now and then, in many processes that wait for each other's processor.
const char* const many_that_wake =
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do (while :; do sleep 0.001; done) & done; sleep 100";

std::string lost(WorkerLink& link, milliseconds limit) {
    try {
        link.exchange({1, "f", {}}, limit);
    } catch (const NoAnswer& why) {
        EXPECT_EQ(why.kind, verdict::FailureKind::timeout);
        return why.message;
    }
    return "answered";
}

milliseconds used(const WorkerLink& link) { return std::chrono::duration_cast<milliseconds>(link.time_used()); }

/// Other programs that want the one processor which this process is bound to as long as this lives.
class BusyProcessor {
public:
    explicit BusyProcessor(int competitors) {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
            if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &one);
        ::sched_setaffinity(0, sizeof one, &one);
        for (int i = 0; i < competitors; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::setsid();  // a worker has a session too, and the kernel may share processors out among sessions
                for (;;) std::atomic_signal_fence(std::memory_order_seq_cst);
            }
            children_.push_back(child);
        }
    }
    ~BusyProcessor() {
        for (const pid_t child : children_) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
        ::sched_setaffinity(0, sizeof before_, &before_);
    }
    BusyProcessor(const BusyProcessor&) = delete;
    BusyProcessor& operator=(const BusyProcessor&) = delete;

private:
    cpu_set_t before_{};
    std::vector<pid_t> children_;
};

TEST(Time, SleepingCounts) {
    WorkerLink link(shell(sleeps), {});
    EXPECT_NE(lost(link, milliseconds(200)).find("no answer within 0.2 s"), std::string::npos);
    EXPECT_GE(used(link), milliseconds(200));
    EXPECT_LT(used(link), milliseconds(400));
}

TEST(Time, ComputingCounts) {
    WorkerLink link(shell(computes), {});
    EXPECT_NE(lost(link, milliseconds(200)).find("within 0.2 s of computing"), std::string::npos);
    EXPECT_GE(used(link), milliseconds(200));
    EXPECT_LT(used(link), milliseconds(400));
}

TEST(Time, ACallsTimeBeginsWhenMainDoes) {
    const char* const half_a_second = "sleep 0.5";
    WorkerLink link(shell(sleeps, half_a_second), {});
    EXPECT_EQ(lost(link, milliseconds(200)), "gave no answer within 0.2 s (does it wait for something?)");
    EXPECT_TRUE(link.has_begun());
    EXPECT_GE(used(link), milliseconds(550));
}

TEST(Time, WhatRunsBeforeMainHasALimitOfItsOwn) {
    CallLimits limits;
    limits.start = milliseconds(200);
    limits.time_after_timeout = milliseconds(30);
    WorkerLink link(shell(sleeps, computes), limits);
    const std::string words = lost(link, milliseconds(5000));
    EXPECT_NE(words.find("was never reached: before main"), std::string::npos) << words;
    EXPECT_NE(words.find("within 0.2 s of computing"), std::string::npos) << words;
    limits.budget = std::make_shared<TimeBudget>(milliseconds(2000), TimeBudget::OwnTime::not_counted);
    Student student(shell(sleeps, computes), limits);
    for (int test = 0; test < 20; ++test) {
        student.test_record() = {};
        EXPECT_THROW(student.outcome("f", {}), StopTest);
    }
    EXPECT_FALSE(student.is_out_of_time()) << "the next worker is the same program";
}

TEST(Time, AnEndBeforeMainIsToldAsSuch) {
    const auto words = [](const sandbox::Launch& launch) {
        WorkerLink link(launch, {});
        try {
            link.exchange({1, "f", {}}, milliseconds(5000));
        } catch (const NoAnswer& why) {
            return why.message;
        }
        return std::string("answered");
    };
    EXPECT_EQ(words(shell(sleeps, "exit 3")),
              "was never reached: before main, the program ended the process: exit status 3");
    EXPECT_EQ(words(shell("exit 3")), "ended the process: exit status 3");
}

/// What a shell does to send this.
std::string sending(const wire::Reply& reply) {
    std::string command = "printf '";
    for (const std::byte byte : wire::framed(wire::encode(reply))) {
        const auto bits = std::to_integer<unsigned>(byte);
        command += '\\';
        for (const unsigned shift : {6U, 3U, 0U}) command += static_cast<char>('0' + ((bits >> shift) & 7U));
    }
    return command + "' >&3";
}

TEST(Time, WhatHasAnsweredHasReachedMainWhateverItSays) {
    const auto thrown = [](std::uint64_t id, bool before_main) {
        wire::Reply reply;
        reply.id = id;
        reply.error = wire::Error{
            .type = "T", .message = "words (thrown before main)", .uncaught = true, .before_main = before_main};
        return reply;
    };
    const auto words = [](WorkerLink& link, std::uint64_t id) {
        try {
            link.exchange({id, "f", {}}, milliseconds(5000));
        } catch (const NoAnswer& why) {
            return why.message;
        }
        return std::string("answered");
    };
    const std::string told = "threw T, which nothing could catch: words (thrown before main)";
    WorkerLink by_words(shell(sending(thrown(1, false))), {});
    EXPECT_EQ(words(by_words, 1), told) << "a message's text says nothing of main";
    WorkerLink before(shell(sending(thrown(1, true))), {});
    EXPECT_EQ(words(before, 1), "was never reached: before main, the program " + told);
    wire::Reply answer;
    answer.id = 1;
    const std::string next = "; dd bs=4096 count=1 <&3 >/dev/null 2>&1; ";
    WorkerLink later(shell(sending(answer) + next + sending(thrown(2, true))), {});
    EXPECT_EQ(words(later, 1), "answered");
    EXPECT_EQ(words(later, 2), told);
}

TEST(Time, WaitingForAProcessorDoesNot) {
    const BusyProcessor busy(5);
    WorkerLink link(shell(computes), {});
    const auto begin = steady_clock::now();
    EXPECT_NE(lost(link, milliseconds(200)).find("within 0.2 s of computing"), std::string::npos);
    EXPECT_GE(steady_clock::now() - begin, milliseconds(500));  // it got a sixth of a processor
    EXPECT_LT(used(link), milliseconds(400));
}

TEST(Time, SleepingCountsOnABusyMachineToo) {
    const BusyProcessor busy(3);
    WorkerLink link(shell(sleeps), {});
    const auto begin = steady_clock::now();
    EXPECT_NE(lost(link, milliseconds(300)), "answered");
    EXPECT_LT(steady_clock::now() - begin, milliseconds(6000));
}

TEST(Time, ProcessesThatWakeEachOtherDoNotSeemToWaitForEver) {
    WorkerLink link(shell(many_that_wake), {});
    const auto begin = steady_clock::now();
    EXPECT_NE(lost(link, milliseconds(500)), "answered");
    EXPECT_LT(steady_clock::now() - begin, milliseconds(10'000));
}

/// A program in the place of a worker that talks over its channel in Perl: `sh` cannot.
/// @param before  what it does first: it reads what it is asked
sandbox::Launch perl(const std::string& script, const std::string& before = "sysread($c, my $asked, 4096); ") {
    sandbox::Command command;
    command.arguments = {"/usr/bin/perl", "-MSocket", "-e", "open(my $c, '+<&=3'); " + before + script};
    command.environment = {"PATH=/usr/bin:/bin"};
    return sandbox::trusted(std::move(command), sandbox::Trusted::tests_of_headway);
}

/// What a call that may take 0.3 s is told, and how long it really took.
void takes_its_time(const sandbox::Launch& launch, const std::string& words) {
    CallLimits limits;
    limits.wall = milliseconds(10'000);
    WorkerLink link(launch, limits);
    const std::string told = lost(link, milliseconds(300));
    EXPECT_NE(told.find(words), std::string::npos) << told;
    EXPECT_GE(used(link), milliseconds(300));
    EXPECT_LT(used(link), milliseconds(600));
}

TEST(Time, WhoClosesItsOutputIsTimedAsOthersAre) {
    takes_its_time(shell("exec >&- 2>&-; sleep 100"), "no answer within 0.3 s");
}

TEST(Time, AByteOutOfBandIsNoTimeOff) {
    takes_its_time(perl("send($c, 'x', MSG_OOB); sleep 100"), "no answer within 0.3 s");
}

TEST(Time, AnAnswerThatTricklesIsNoTimeOff) {
    takes_its_time(perl("syswrite($c, pack('V', 64 << 20)); while (1) { syswrite($c, 'x'); select(undef, undef, undef, "
                        "0.0001) }"),
                   "no answer within 0.3 s");
}

TEST(Time, ProcessesThatLiveForAMomentTakeNoTimeOff) {
    const BusyProcessor busy(0);
    CallLimits limits;
    limits.wall = milliseconds(60'000);  // after that it would be the machine's fault, and no NoAnswer
    // Whom they leave behind comes to it, as in a jail.
    const std::string chains = "syscall(" + std::to_string(SYS_prctl) + ", " + std::to_string(PR_SET_CHILD_SUBREAPER) +
                               ", 1, 0, 0, 0); $SIG{CHLD} = 'IGNORE'; "
                               "for (1 .. 100) { if (!fork) { while (1) { exit if fork } } } while (1) {}";
    WorkerLink link(perl(chains), limits);
    EXPECT_NE(lost(link, milliseconds(300)), "answered");
}

TEST(Time, WhoReadsNoMoreHasHungUp) {
    WorkerLink link(perl("shutdown($c, 0); sleep 100", ""), {});
    std::this_thread::sleep_for(milliseconds(500));
    const auto begin = steady_clock::now();
    try {
        link.exchange({1, "f", {}}, milliseconds(60'000));
        ADD_FAILURE() << "answered";
    } catch (const NoAnswer& why) {
        EXPECT_EQ(why.message, "was never reached: before main, the program closed its connection to the grader");
    }
    EXPECT_LT(steady_clock::now() - begin, milliseconds(5000));
}

TEST(Time, AMachineWithoutTimeIsNoTimeout) {
    CallLimits limits;
    limits.wall = milliseconds(100);
    WorkerLink link(shell(sleeps), limits);
    EXPECT_THROW(link.exchange({1, "f", {}}, milliseconds(60'000)), MachineTooBusy);
}

TEST(Time, AllWorkersSpendOneBudget) {
    CallLimits limits;
    limits.time = milliseconds(100);
    limits.budget = std::make_shared<TimeBudget>(milliseconds(500), TimeBudget::OwnTime::not_counted);
    Student student(shell(sleeps), limits);
    int calls = 0;
    const auto ask = [&](const std::string& function) {
        student.test_record() = {};
        ++calls;
        try {
            student.outcome(function, {});
        } catch (const StopTest&) {
        }
    };
    const auto ask_for_ever = [&] {
        for (int i = 0; i < 100; ++i) ask("f" + std::to_string(i));
    };
    EXPECT_THROW(ask_for_ever(), OutOfTime);
    EXPECT_LT(calls, 20);
    EXPECT_TRUE(student.is_out_of_time());
    EXPECT_THROW(student.outcome("another", {}), OutOfTime);
}

TEST(Time, AFunctionThatHungOnceGetsLittleThen) {
    CallLimits limits;
    limits.time = milliseconds(300);
    limits.time_after_timeout = milliseconds(30);
    Student student(shell(sleeps), limits);
    const auto message_of = [&](const std::string& function) {
        student.test_record() = {};
        try {
            student.outcome(function, {});
        } catch (const StopTest& stop) {
            return stop.failure ? stop.failure->message : "none";
        }
        return std::string("answered");
    };
    EXPECT_NE(message_of("f").find("0.3 s"), std::string::npos);
    // Shortened limits are not told: a second number beside the first would only confuse.
    EXPECT_NE(message_of("f").find("in time, either"), std::string::npos);
    EXPECT_NE(message_of("g").find("in time, either"), std::string::npos);
}

}  // namespace
}  // namespace headway::judge
