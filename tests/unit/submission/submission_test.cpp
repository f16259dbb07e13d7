#include "submission/submission.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace headway::build {
namespace {

class SubmissionTest : public testing::Test {
protected:
    SubmissionTest() {
        folder.write("course/03_scaled_scores/scaled_scores.hpp", "// the course's");
        folder.write("course/03_scaled_scores/visible_test.cpp", "// the course's");
        folder.write("theirs/scaled_scores.cpp", "int x;");
    }
    Submission read() const {
        return read_submission(folder.path() / "theirs", folder.path() / "course/03_scaled_scores");
    }

    TemporaryFolder folder;
};

TEST_F(SubmissionTest, OnlyTheStudentsOwnFilesCount) {
    folder.write("theirs/scaled_scores.hpp", "// a changed header");
    folder.write("theirs/visible_test.cpp", "int main() {}");
    folder.write("theirs/exercise.toml", "title = 'mine'");
    folder.write("theirs/notes.txt", "...");
    folder.write("theirs/parts/softmax.hpp", "// extra");
    const Submission submission = read();
    ASSERT_EQ(submission.files.size(), 2U);
    EXPECT_EQ(submission.files[0].path, "parts/softmax.hpp");
    EXPECT_EQ(submission.files[1].path, "scaled_scores.cpp");
    ASSERT_EQ(submission.course_files.size(), 1U);
    EXPECT_EQ(submission.course_files[0].text, "// the course's");
}

TEST_F(SubmissionTest, IncludesEigenIfAnyFileDoesAndNoneSetsIt) {
    EXPECT_FALSE(read().includes_eigen());
    folder.write("theirs/parts/softmax.hpp", "#include <vector>\n  #  include\t<Eigen/Dense>\n");
    EXPECT_TRUE(read().includes_eigen());
    folder.write("theirs/scaled_scores.cpp", "# define EIGEN_DEFAULT_TO_ROW_MAJOR\n#include <headway/eigen.hpp>\n");
    EXPECT_FALSE(read().includes_eigen());
    folder.write("theirs/scaled_scores.cpp", "#define eigen_assert(x)\n#include <eigen3/Eigen/Core>\n");
    EXPECT_FALSE(read().includes_eigen());
    folder.write("theirs/scaled_scores.cpp", "#include <eigen3/Eigen/Core>\n");
    EXPECT_TRUE(read().includes_eigen());
    folder.write("theirs/parts/softmax.hpp", "#include <eigenvalues.hpp>\n// Eigen/\n#");
    folder.write("theirs/scaled_scores.cpp", "#" + std::string(1U << 20U, ' '));
    EXPECT_FALSE(read().includes_eigen());
}

TEST_F(SubmissionTest, LinksAreNotFollowed) {
    std::filesystem::create_symlink("/etc/passwd", folder.path() / "theirs/secret.hpp");
    EXPECT_EQ(read().files.size(), 1U);
}

/// Beside a source they are left out; in its place they are told of.
TEST_F(SubmissionTest, WhatIsCalledLikeASourceAndIsNoneIsNamed) {
    const auto source = folder.path() / "theirs/scaled_scores.cpp";
    const auto refusal = [&] {
        try {
            read();
        } catch (const BadSubmission& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    std::filesystem::rename(source, folder.path() / "elsewhere.cpp");
    std::filesystem::create_symlink(folder.path() / "elsewhere.cpp", source);
    EXPECT_EQ(refusal(), "scaled_scores.cpp is a link: hand in the file itself");
    std::filesystem::remove(source);
    ASSERT_EQ(::mkfifo(source.c_str(), 0600), 0);
    EXPECT_EQ(refusal(), "scaled_scores.cpp is no ordinary file: hand in the file itself");
}

TEST_F(SubmissionTest, TheDigestSeesTextsAndNames) {
    const std::string before = read().digest();
    EXPECT_EQ(before, read().digest());
    folder.write("theirs/scaled_scores.cpp", "int y;");
    const std::string changed = read().digest();
    EXPECT_NE(before, changed);
    folder.write("theirs/other.cpp", "");
    EXPECT_NE(changed, read().digest());
}

TEST_F(SubmissionTest, TooMuchIsRefused) {
    folder.write("theirs/large.hpp", std::string(5U << 20U, 'x'));
    EXPECT_THROW(read(), BadSubmission);
    std::filesystem::remove(folder.path() / "theirs/large.hpp");
    for (int i = 0; i < 250; ++i) folder.write("theirs/f" + std::to_string(i) + ".hpp", "");
    EXPECT_THROW(read(), BadSubmission);
}

TEST_F(SubmissionTest, AFolderWithoutSourcesHasNone) {
    std::filesystem::remove(folder.path() / "theirs/scaled_scores.cpp");
    EXPECT_FALSE(read().has_source());
    EXPECT_THROW(read_submission(folder.path() / "nowhere", folder.path() / "course/03_scaled_scores"), BadSubmission);
}

TEST_F(SubmissionTest, NamesThatCompilersTakeForOptionsAreRefused) {
    for (const char* name : {"@opts.cpp", "--version.cpp", "-.hpp", "parts/@opts.cpp", "@parts/a.cpp", "a/-b/c.cpp"}) {
        const auto file = folder.write(std::string("theirs/") + name, "-fno-sanitize=all");
        try {
            read();
            ADD_FAILURE() << name;
        } catch (const BadSubmission& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("Rename it."), std::string::npos) << error.what();
        }
        std::filesystem::remove(file);
    }
    EXPECT_THROW(select_files({{"@opts.cpp", ""}}, folder.path() / "course/03_scaled_scores"), BadSubmission);
}

TEST_F(SubmissionTest, WhatIsNoSourceMayBeCalledAnything) {
    folder.write("theirs/@eaDir/scaled_scores.cpp/SYNOINDEX_MEDIA_INFO", "");
    folder.write("theirs/@eaDir/scaled_scores.cpp@SynoEAStream", "");
    folder.write("theirs/-notes/--help.txt", "");
    EXPECT_EQ(read().files.size(), 1U);
}

TEST_F(SubmissionTest, NamesThatCannotBeShownAreRefused) {
    for (const char* name : {"a\nb.cpp", "a\tb.cpp", "\x1b[2J.cpp", "\xff.cpp", "a\u202eppc.hpp", "\u009b.cpp"})
        EXPECT_FALSE(why_unusable(name).empty()) << name;
    EXPECT_EQ(why_unusable("a\nb.cpp").find('\x1b'), std::string::npos);
    for (const char* name :
         {"my file.cpp", "größe (1).cpp", "a+b.cpp", "100%.cpp", "it's.cpp", "漢字.hpp", "a@b-c.cpp"})
        EXPECT_EQ(why_unusable(name), "") << name;
}

TEST_F(SubmissionTest, PathsThatNoFileSystemTakesAreRefused) {
    EXPECT_EQ(why_unusable(std::string(200, 'x') + ".cpp"), "");
    EXPECT_NE(why_unusable(std::string(251, 'x') + ".cpp"), "");
    EXPECT_NE(why_unusable(std::string(150, 'x') + "/" + std::string(150, 'x') + ".cpp"), "");
}

TEST_F(SubmissionTest, ObjectsOfDifferentSourcesHaveDifferentNames) {
    const auto object = [](const char* path) { return SourceFile{path, ""}.object_name(); };
    EXPECT_EQ(object("scaled_scores.cpp"), "scaled_scores.cpp.o");
    std::set<std::string> names;
    for (const char* path : {"a/b.cpp", "a+b.cpp", "a+-b.cpp", "a++b.cpp", "a+/b.cpp", "a/+b.cpp", "a/-b.cpp"})
        names.insert(object(path));
    EXPECT_EQ(names.size(), 7U);
}

TEST_F(SubmissionTest, AFolderThatIsALinkIsRefused) {
    std::filesystem::create_directory_symlink(folder.path() / "theirs", folder.path() / "linked");
    EXPECT_THROW(read_submission(folder.path() / "linked", folder.path() / "course/03_scaled_scores"), BadSubmission);
}

/// Status 0 if read() calls it a bad submission, to somebody whom permissions bind.
[[noreturn]] void exit_by_reading(const std::function<void()>& read) {
    constexpr uid_t nobody = 65534;
    if (::getuid() == 0 && ::setuid(nobody) != 0) std::_Exit(2);
    try {
        read();
    } catch (const BadSubmission& error) {
        std::_Exit(std::string(error.what()).find("permission denied") == std::string::npos ? 3 : 0);
    } catch (const std::exception&) {
        std::_Exit(4);
    }
    std::_Exit(1);
}

TEST_F(SubmissionTest, WhatMayNotBeReadIsTheSubmissionsFault) {
    const auto path = folder.path() / "theirs" / "scaled_scores.cpp";
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_EXIT(exit_by_reading([this] { read(); }), testing::ExitedWithCode(0), "");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::filesystem::create_directory(folder.path() / "theirs/parts");
    std::filesystem::permissions(folder.path() / "theirs/parts", std::filesystem::perms::none);
    EXPECT_EXIT(exit_by_reading([this] { read(); }), testing::ExitedWithCode(0), "");
    std::filesystem::permissions(folder.path() / "theirs/parts", std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace headway::build
