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
    EXPECT_TRUE(says(copy.headway({"lesson"}), "01 · One attention head")) << "00 was shown";
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

std::string page_named_in(const sandbox::Finished& finished) {
    const std::string begin = "file://";
    const std::size_t at = finished.output.find(begin) + begin.size();
    return finished.output.substr(at, finished.output.find('\n', at) - at);
}

TEST(Lesson, WithoutItsRenderedPageIsAPageAllTheSame) {
    const CourseCopy copy;
    const auto opened = copy.headway({"lesson", "03", "--open"});
    EXPECT_EQ(opened.ended.exit_code, 0) << opened.output;
    EXPECT_TRUE(says(opened, "with formulas as text"));
    const std::string page = build::read_file(page_named_in(opened));
    EXPECT_NE(page.find("√head_dim"), std::string::npos) << "the text";
    EXPECT_NE(page.find("<img src=\"file://" + (copy.root() / "lessons/pictures/03-masks.svg").string()),
              std::string::npos);
    EXPECT_NE(page.find("<summary>Answer</summary>"), std::string::npos);
    EXPECT_EQ(page.find("--answers"), std::string::npos) << "answers unfold; none is left out";
    EXPECT_EQ(page.find("<!--"), std::string::npos);
    EXPECT_EQ(page.find("<pad>"), std::string::npos) << "text is no markup";
}

TEST(Lesson, OpensTheRenderedPageWhereThereIsOne) {
    const CourseCopy copy;
    fs::create_directories(copy.root() / "build/pages");
    build::write_file(copy.root() / "build/pages/03-scaled-scores.html", "built");
    const auto opened = copy.headway({"lesson", "03", "--open"});
    EXPECT_EQ(page_named_in(opened), (copy.root() / "build/pages/03-scaled-scores.html").string());
    EXPECT_EQ(opened.output.find("formulas"), std::string::npos);
}

}  // namespace
}  // namespace headway
