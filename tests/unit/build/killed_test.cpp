// How a compiler ended, and whose doing that is: without a compiler, by what the kernel and our limits say.
#include "build/killed.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace headway::build {
namespace {

using std::chrono::seconds;

constexpr seconds limit{60};

sandbox::Finished ended_by(int signal, seconds computed, seconds on_the_clock) {
    sandbox::Finished finished;
    finished.ended = {0, signal};
    finished.computed = computed;
    finished.seconds = on_the_clock;
    return finished;
}

TEST(Killed, AfterAllTheProcessorTimeThatItMayUseItIsItsOwnDoing) {
    EXPECT_FALSE(was_killed_from_outside(ended_by(SIGKILL, seconds(60), seconds(61)), limit));
    EXPECT_FALSE(may_have_been_killed(ended_by(SIGKILL, seconds(60), seconds(61)), limit));
}

TEST(Killed, SlowlyOnABusyMachineItIsNot) {
    EXPECT_TRUE(was_killed_from_outside(ended_by(SIGKILL, seconds(5), seconds(200)), limit));
    EXPECT_TRUE(may_have_been_killed(ended_by(SIGKILL, seconds(5), seconds(200)), limit));
}

TEST(Killed, ForWantOfTheMachinesMemoryItIsNotHoweverLongItTook) {
    sandbox::Finished starved = ended_by(0, seconds(60), seconds(200));
    starved.ended.exit_code = 1;  // g++, of whose children one was ended
    EXPECT_FALSE(was_killed_from_outside(starved, limit));
    starved.starved = true;
    EXPECT_TRUE(was_killed_from_outside(starved, limit));
    starved.timed_out = true;
    EXPECT_TRUE(was_killed_from_outside(starved, limit));
}

TEST(Killed, ForWantOfItsOwnMemoryItIsItsOwnDoing) {
    sandbox::Finished finished = ended_by(SIGKILL, seconds(5), seconds(6));
    finished.out_of_memory = true;
    EXPECT_FALSE(was_killed_from_outside(finished, limit));
}

TEST(Killed, WhatSucceededOrRanOutOfTimeWasNotKilled) {
    EXPECT_FALSE(was_killed_from_outside(ended_by(0, seconds(5), seconds(6)), limit));
    sandbox::Finished late = ended_by(SIGKILL, seconds(5), seconds(300));
    late.timed_out = true;
    EXPECT_FALSE(was_killed_from_outside(late, limit));
}

TEST(Killed, WordsLeadToASecondRunAndBlameNobody) {
    sandbox::Finished finished = ended_by(0, seconds(5), seconds(6));
    finished.ended.exit_code = 1;
    finished.output = "g++: fatal error: Killed signal terminated program cc1plus\n";
    EXPECT_TRUE(may_have_been_killed(finished, limit));
    EXPECT_FALSE(was_killed_from_outside(finished, limit));
}

TEST(Killed, WordsOfTimeThatIsUsedUpCountIfItIsUsedUp) {
    sandbox::Finished finished = ended_by(0, seconds(59), seconds(61));
    finished.ended.exit_code = 1;
    EXPECT_FALSE(used_up_its_time(finished, limit)) << "a mistake, found late";
    for (const char* words :
         {"g++: internal compiler error: CPU time limit exceeded signal terminated program cc1plus\n",
          "g++-12: fatal error: x\ng++: fatal error: Killed signal terminated program cc1plus\n",
          "clang++: error: unable to execute command: Killed\n"}) {
        finished.output = words;
        finished.computed = seconds(59);
        EXPECT_TRUE(used_up_its_time(finished, limit)) << words;
        finished.computed = seconds(5);
        EXPECT_FALSE(used_up_its_time(finished, limit)) << "a source can have it said: " << words;
    }
    finished = ended_by(0, seconds(59), seconds(61));
    finished.output = "g++: warning: Killed\n";
    EXPECT_FALSE(used_up_its_time(finished, limit)) << "it succeeded";
}

}  // namespace
}  // namespace headway::build
