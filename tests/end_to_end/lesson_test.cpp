// The lessons as ./headway lesson shows them.
#include "headway.hpp"

#include "submission/digest.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace headway {
namespace {

namespace fs = std::filesystem;

TEST(Lesson, HidesAnswersUntilTheyAreAskedFor) {
    const CourseCopy copy;
    const auto lesson = copy.headway({"lesson", "01"});
    EXPECT_EQ(lesson.ended.exit_code, 0);
    EXPECT_TRUE(says(lesson, "./headway lesson 01 --answers shows it"));
    EXPECT_EQ(lesson.output.find("<details>"), std::string::npos);
    EXPECT_EQ(lesson.output.find("<!--"), std::string::npos);
    EXPECT_GT(copy.headway({"lesson", "01", "--answers"}).output.size(), lesson.output.size());
    EXPECT_TRUE(says(copy.headway({"lesson", "01", "--open"}), "01-single-head"));
}

TEST(Lesson, WithoutANumberIsTheOneToReadNext) {
    const CourseCopy copy;
    EXPECT_TRUE(says(copy.headway({}), "next: ./headway lesson "));
    EXPECT_TRUE(says(copy.headway({"lesson"}), "00 · What attention is for")) << "nothing is written yet";
    // What another machine recorded.
    std::string progress;
    const auto passes = [&](const std::string& exercise) {
        progress += "2999-01-01T00:00:00Z " + exercise + " passed 10 / 10\n";
        build::write_file(copy.root() / "exercises/progress.txt", progress);
    };
    passes("04_merge_heads");
    EXPECT_TRUE(says(copy.headway({"lesson"}), "01 · One attention head")) << "the first that has not passed";
    passes("01_single_head");
    EXPECT_TRUE(says(copy.headway({"lesson"}), "02 · Splitting heads"));
    for (const fs::directory_entry& folder : fs::directory_iterator(copy.root() / "exercises"))
        if (folder.is_directory()) passes(folder.path().filename().string());
    EXPECT_TRUE(says(copy.headway({"lesson"}), "All exercises have passed."));
}

TEST(Lesson, ZeroHasNoExerciseAndShowsItsPicturesInWords) {
    const CourseCopy copy;
    const auto lesson = copy.headway({"lesson", "00"});
    EXPECT_EQ(lesson.ended.exit_code, 0) << lesson.output;
    EXPECT_TRUE(says(lesson, "[figure: Two sentences. The animal didn't"));
    EXPECT_TRUE(says(copy.headway({"lesson", "0", "--open"}), "00-what-attention-is-for"));
    EXPECT_EQ(copy.headway({"grade", "00"}).ended.exit_code, 2) << "there is nothing to grade";
}

}  // namespace
}  // namespace headway
