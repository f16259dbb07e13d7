// Whatever ends a run, the next goes on: what was graded stays, what was in flight is graded again, nothing is lost.
#include "gradebook/gradebook.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::classroom {
namespace {

constexpr int students = 600;
constexpr int kills = 120;

struct Place {
    build::TemporaryFolder folder;
    std::string gradebook = (folder.path() / "gradebook.sqlite").string();
    std::string begun = (folder.path() / "begun").string();
};

pid_t start(const Place& place, rlim_t largest_file = RLIM_INFINITY) {
    const std::string count = std::to_string(students);
    const pid_t child = ::fork();
    if (child != 0) return child;
    const rlimit limit{largest_file, largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::execl(STAND_IN_CLASS, STAND_IN_CLASS, place.gradebook.c_str(), place.begun.c_str(), count.c_str(), nullptr);
    ::_exit(127);
}

int status_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Everything that must not depend on what happened meanwhile: all but times and logs.
std::vector<std::string> content(const std::string& file) {
    const gradebook::Database database(file, gradebook::Access::read_only);
    std::vector<std::string> rows;
    for (const char* question :
         {"SELECT student || entry || digest || note || problem FROM attempt",
          "SELECT attempt.student || exercise || source FROM attempt_source JOIN attempt ON attempt.id = attempt",
          "SELECT source || path || text FROM source_file",
          "SELECT source || suite || digest || state || points || checksum FROM verdict"}) {
        gradebook::Statement statement = database.ask(question);
        while (statement.step()) rows.push_back(statement.text(0));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::size_t lines_in(const std::string& file) {
    std::ifstream stream(file);
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>(), '\n'));
}

std::size_t verdicts_in(const std::string& file) {
    const gradebook::Database database(file, gradebook::Access::read_only);
    gradebook::Statement statement = database.ask("SELECT count(*) FROM verdict");
    return statement.step() ? static_cast<std::size_t>(statement.integer(0)) : 0;
}

std::vector<std::string> undisturbed() {
    const Place place;
    EXPECT_EQ(status_of(start(place)), 0);
    return content(place.gradebook);
}

/// Kills each start of a class's run within the time that a whole one takes, until one comes to its end before. How
/// many it killed.
int kill_until_done(const Place& place, std::chrono::microseconds whole, std::mt19937& random) {
    std::uniform_int_distribution<std::chrono::microseconds::rep> moment(0, whole.count() / 4);
    for (int killed = 0;; ++killed) {
        const pid_t child = start(place);
        std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
        ::kill(child, SIGKILL);
        const int status = status_of(child);
        if (status == -SIGKILL) continue;
        EXPECT_EQ(status, 0);
        return killed;
    }
}

TEST(Survival, KilledAtRandomMomentsNothingIsLostAndNothingIsGradedTwice) {
    std::mt19937 random(20260501);
    const auto begin = std::chrono::steady_clock::now();
    const auto right = undisturbed();
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    // A fast machine is done with a class sooner: then another is begun.
    for (int killed = 0; killed < kills;) {
        const Place place;
        const int times = kill_until_done(place, whole, random);
        EXPECT_TRUE(content(place.gradebook) == right);
        // The two in flight at each kill begin once more, and one in ten fails for the machine the first time.
        const int graded = static_cast<int>(verdicts_in(place.gradebook));
        EXPECT_LE(static_cast<int>(lines_in(place.begun)), graded + graded / 10 + 4 * times);
        killed += times;
    }
}

TEST(Survival, WhatIsGradedIsNotGradedAgain) {
    const Place place;
    ASSERT_EQ(status_of(start(place)), 0);
    const std::size_t begun = lines_in(place.begun);
    ASSERT_EQ(status_of(start(place)), 0);
    EXPECT_EQ(lines_in(place.begun), begun);
}

TEST(Survival, AFullDiskStopsTheRunAndTheNextOneGoesOn) {
    const Place place;
    EXPECT_EQ(status_of(start(place, 400'000)), 3);
    EXPECT_EQ(status_of(start(place)), 0);
    EXPECT_TRUE(content(place.gradebook) == undisturbed());
}

TEST(Survival, ADamagedRowIsGradedAgain) {
    const Place place;
    ASSERT_EQ(status_of(start(place)), 0);
    const auto whole = content(place.gradebook);
    {
        gradebook::Database database(place.gradebook, gradebook::Access::read_write);
        database.execute(
            "UPDATE verdict SET points = points + 1 WHERE source IN "
            "(SELECT source FROM verdict LIMIT 5)");
    }
    EXPECT_FALSE(content(place.gradebook) == whole);
    EXPECT_EQ(status_of(start(place)), 0);
    EXPECT_TRUE(content(place.gradebook) == whole);
}

}  // namespace
}  // namespace headway::classroom
