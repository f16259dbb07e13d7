// What gradings leave behind is bounded.
#include "grading/folder_lock.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

class KeepWithin : public testing::Test {
protected:
    /// What a grading of `hours` ago left: 1000 bytes.
    fs::path left(const std::string& name, int hours) {
        folder.write(name + "/plain/worker", std::string(1000, 'x'));
        folder.write(name + "/lock", "");
        fs::last_write_time(folder.path() / name / "lock",
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
        return folder.path() / name;
    }
    build::TemporaryFolder folder;
};

TEST_F(KeepWithin, RemovesTheLongestUnusedFirst) {
    const fs::path newest = left("a/01", 1);
    const fs::path oldest = left("b/01", 9);
    const fs::path older = left("b/02", 5);
    keep_within(folder.path(), 2500);
    EXPECT_FALSE(fs::exists(oldest));
    EXPECT_TRUE(fs::exists(older));
    EXPECT_TRUE(fs::exists(newest));
    keep_within(folder.path(), 1000);
    EXPECT_FALSE(fs::exists(older.parent_path())) << "nothing is left of that submission";
    EXPECT_TRUE(fs::exists(newest));
}

TEST_F(KeepWithin, LeavesWhatFits) {
    left("a/01", 1);
    left("b/01", 9);
    keep_within(folder.path(), 2000);
    EXPECT_TRUE(fs::exists(folder.path() / "b/01/plain/worker"));
}

TEST_F(KeepWithin, NeverTakesWhatIsInUse) {
    const fs::path used = left("a/01", 9);
    const FolderLock lock(used);
    fs::last_write_time(used / "lock", fs::file_time_type::clock::now() - std::chrono::hours(9));
    const fs::path unused = left("b/01", 1);
    keep_within(folder.path(), 0);
    EXPECT_TRUE(fs::exists(used / "plain/worker"));
    EXPECT_FALSE(fs::exists(unused));
}

TEST_F(KeepWithin, WhatOneGradingLeavesIsSmallOrItsResultAlone) {
    const fs::path graded = left("a/01", 1);
    folder.write("a/01/result.json", "{}");
    keep_small(graded, 1002);
    EXPECT_TRUE(fs::exists(graded / "plain/worker"));
    {
        const FolderLock lock(graded);
        keep_small(graded, 100);
        EXPECT_TRUE(fs::exists(graded / "plain/worker")) << "another grading holds it";
    }
    keep_small(graded, 100);
    EXPECT_FALSE(fs::exists(graded / "plain"));
    EXPECT_TRUE(fs::exists(graded / "result.json"));
    EXPECT_TRUE(fs::exists(graded / "lock"));
}

TEST_F(KeepWithin, ALockTellsWhenTheFolderWasUsedLast) {
    const fs::path used = left("a/01", 9);
    { const FolderLock lock(used); }
    EXPECT_GT(FolderLock::last_used(used), fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_TRUE(FolderLock::try_to_hold(used));
    const FolderLock first(used);
    EXPECT_FALSE(FolderLock::try_to_hold(used));
}

}  // namespace
}  // namespace headway::cli
