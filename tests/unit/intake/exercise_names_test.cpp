// Which exercise a file or folder is, by names as people and systems write them. classroom/README.md has the rules.
#include "intake/exercise_names.hpp"

#include <gtest/gtest.h>

namespace headway::intake {
namespace {

const std::string scores = "03_scaled_scores";

TEST(ExerciseNames, FilesAreKnownByTheStubsName) {
    for (const char* name : {"scaled_scores.cpp", "scaled_scores (1).cpp", "scaled_scores(12).cpp",
                             "scaled_scores-1.cpp", "scaled_scores.cc", "scaled_scores.cxx", "Scaled_Scores.cpp",
                             "scaled-scores.cpp", "ScaledScores.cpp", "scaled scores.cpp", "03_scaled_scores.cpp",
                             "scaled_scores - Copy.cpp", "scaled_scores - Kopie (2).cpp", "scaled_scores copy 2.cpp"})
        EXPECT_TRUE(is_stub_of(name, scores)) << name;
}

TEST(ExerciseNames, OtherFilesAreNotGuessedAt) {
    for (const char* name : {"scaled_scores.hpp", "scaled_scores.txt", "scaled_scores_old.cpp", "scaled_scores2.cpp",
                             "my_scaled_scores.cpp", "04_scaled_scores.cpp", "scores.cpp", "03.cpp", ".cpp"})
        EXPECT_FALSE(is_stub_of(name, scores)) << name;
    EXPECT_FALSE(is_stub_of(std::string(300, 'a') + ".cpp", scores));
}

TEST(ExerciseNames, FoldersAreKnownByNumberAndName) {
    for (const char* name : {"03_scaled_scores", "03_Scaled_Scores", "03-scaled-scores", "03 scaled scores"})
        EXPECT_TRUE(is_folder_of(name, scores)) << name;
    for (const char* name : {"scaled_scores", "03", "3_scaled_scores", "03_scaled_scores_old", "03_scaled_scores (1)"})
        EXPECT_FALSE(is_folder_of(name, scores)) << name;
}

TEST(ExerciseNames, CopiesAreSeen) {
    EXPECT_TRUE(is_marked_as_copy("scaled_scores (1).cpp"));
    EXPECT_TRUE(is_marked_as_copy("scaled_scores - Copy.cpp"));
    EXPECT_FALSE(is_marked_as_copy("scaled_scores-1.cpp")) << "which may be a second part";
    EXPECT_FALSE(is_marked_as_copy("photocopy.cpp"));
}

}  // namespace
}  // namespace headway::intake
