// What is said to Slurm, and what is understood of its answers; tests/end_to_end/slurm_test.py has a real one.
#include "classroom/slurm.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace headway::classroom {
namespace {

TEST(Slurm, TheSitesLimitsAreRead) {
    const QueueLimits limits = limits_from(
        "Configuration data as of 2026-05-01T12:00:00\n"
        "MaxArraySize            = 1001\n"
        "MaxJobCount             = 10000\n"
        "MaxJobId                = 67043328\n"
        "MaxStepCount            = 40000\n");
    EXPECT_EQ(limits.array, 1001U);
    EXPECT_EQ(limits.queued, 5000U);
    EXPECT_EQ(limits_from("MaxArraySize = UNLIMITED\n").array, QueueLimits{}.array);
}

TEST(Slurm, OnlyTheRunsOwnTasksAreItsTasks) {
    const auto tasks = tasks_from(
        "squeue: warning: something\n"
        "headway-a|0|RUNNING|1_0|None\n"
        "headway-a|17|PENDING|1_17|Resources\n"
        "headway-ab|1|RUNNING|2_1|None\n"
        "headway-b|N/A|PENDING|3|None\n"
        "headway-b|3|PENDING|4_3|launch failed requeued held\n"
        "headway-b|4|PENDING|4_4|JobHeldUser\n",
        {"headway-a", "headway-b"});
    ASSERT_EQ(tasks.size(), 4U);
    EXPECT_EQ(tasks[1].wave, "headway-a");
    EXPECT_EQ(tasks[1].shard, 17U);
    EXPECT_EQ(tasks[1].state, "PENDING");
    EXPECT_FALSE(tasks[1].is_stuck);
    EXPECT_EQ(tasks[2].reason, "launch failed requeued held");
    EXPECT_EQ(tasks[2].id, "4_3");
    EXPECT_TRUE(tasks[2].is_stuck);
    EXPECT_FALSE(tasks[3].is_stuck);
}

TEST(Slurm, TheScriptTakesPathsWithAnythingInThem) {
    SlurmOptions options;
    options.waves = "/home/prof/it's a class.shards";
    options.work = {"/opt/head way/headway-cli", "class", "work-shard"};
    options.environment = {{"HEADWAY_ROOT", "/opt/$x"}};
    EXPECT_EQ(batch_script(options, "headway-a"),
              "#!/bin/sh\n"
              "HEADWAY_ROOT='/opt/$x'\n"
              "export HEADWAY_ROOT\n"
              "exec '/opt/head way/headway-cli' class work-shard "
              "'/home/prof/it'\\''s a class.shards/headway-a'/\"$SLURM_ARRAY_TASK_ID\"\n");
}

TEST(Slurm, WhereThereIsNoneThatIsSaid) {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "/nowhere", 1);
    try {
        Slurm({}).limits();
        ADD_FAILURE() << "it found something";
    } catch (const QueueError& error) {
        EXPECT_NE(std::string(error.what()).find("there is no scontrol on this machine"), std::string::npos)
            << error.what();
    }
    ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace headway::classroom
