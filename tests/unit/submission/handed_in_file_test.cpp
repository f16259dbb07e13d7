// What becomes something else between the look at a file and the reading of it.
#include "submission/handed_in_file.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

class HandedInFile : public testing::Test {
protected:
    HandedInFile() {
        folder.write("theirs/parts/softmax.hpp", "int x;");
        folder.write("secret/softmax.hpp", "the secret");
    }
    std::string read(std::uintmax_t most = 100) const {
        return read_handed_in(folder.path() / "theirs", "parts/softmax.hpp", most);
    }
    fs::path file() const { return folder.path() / "theirs/parts/softmax.hpp"; }

    TemporaryFolder folder;
};

TEST_F(HandedInFile, IsReadWhole) {
    EXPECT_EQ(read(), "int x;");
    EXPECT_EQ(read(6), "int x;");
    folder.write("theirs/parts/softmax.hpp", "");
    EXPECT_EQ(read(0), "");
}

TEST_F(HandedInFile, IsNoLink) {
    fs::remove(file());
    fs::create_symlink(folder.path() / "secret/softmax.hpp", file());
    EXPECT_THROW(read(), ChangedMeanwhile);
}

TEST_F(HandedInFile, LiesBehindNoLink) {
    fs::remove_all(folder.path() / "theirs/parts");
    fs::create_directory_symlink(folder.path() / "secret", folder.path() / "theirs/parts");
    EXPECT_THROW(read(), ChangedMeanwhile);
}

TEST_F(HandedInFile, LiesInAFolderThatIsNoLink) {
    fs::rename(folder.path() / "theirs", folder.path() / "elsewhere");
    fs::create_directory_symlink(folder.path() / "elsewhere", folder.path() / "theirs");
    EXPECT_THROW(read(), ChangedMeanwhile);
}

/// Opened as any file, it would be waited for until somebody writes to it.
TEST_F(HandedInFile, IsNoPipe) {
    fs::remove(file());
    ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
    EXPECT_THROW(read(), ChangedMeanwhile);
}

TEST_F(HandedInFile, HasNotGrown) { EXPECT_THROW(read(5), ChangedMeanwhile); }

TEST_F(HandedInFile, IsStillThere) {
    fs::remove(file());
    EXPECT_THROW(read(), ChangedMeanwhile);
}

TEST_F(HandedInFile, ThatIsClosedIsSaidToBe) {
    fs::permissions(file(), fs::perms::none);
    const auto exit_by_reading = [this] {
        constexpr uid_t nobody = 65534;
        if (::getuid() == 0 && ::setuid(nobody) != 0) std::_Exit(2);
        try {
            read();
        } catch (const fs::filesystem_error& error) {
            std::_Exit(error.code() == std::errc::permission_denied ? 0 : 3);
        } catch (const std::exception&) {
            std::_Exit(4);
        }
        std::_Exit(1);
    };
    EXPECT_EXIT(exit_by_reading(), testing::ExitedWithCode(0), "");
    fs::permissions(file(), fs::perms::owner_all);
}

}  // namespace
}  // namespace headway::build
