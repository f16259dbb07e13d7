// An archive comes from a stranger: whatever is in it, nothing is written, and a reason is given.
#include "intake/file_tree.hpp"

#include "intake/written_archive.hpp"
#include "submission/digest.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace headway::intake {
namespace {

class Archives : public testing::TestWithParam<Kind> {
protected:
    std::filesystem::path file() const { return folder_.path() / (GetParam() == Kind::zip ? "a.zip" : "a.tar.gz"); }

    std::string refusal(Bounds bounds = {}) const {
        try {
            read_archive(file(), bounds);
        } catch (const Malformed& error) {
            return error.what();
        }
        return "";
    }

    build::TemporaryFolder folder_;
};

TEST_P(Archives, SourcesAreReadAndTheRestIsNot) {
    {
        Archive archive(file(), GetParam());
        archive.add("hand_in/03_scaled_scores/scaled_scores.cpp", "int x;");
        archive.add("hand_in/notes.pdf", "%PDF");
        archive.add("hand_in/.git/hook.cpp", "int y;");
        archive.add("hand_in/03_scaled_scores/._scaled_scores.cpp", "what macOS keeps beside a file");
    }
    const FileTree tree = read_archive(file());
    ASSERT_EQ(tree.files().size(), 1U);
    EXPECT_EQ(tree.files().at("hand_in/03_scaled_scores/scaled_scores.cpp"), "int x;");
}

TEST_P(Archives, NamesMayBeOfAnyScriptWhateverTheLocale) {
    { Archive(file(), GetParam()).add("Müller 作业/01_single_head/single_head.cpp", "int x;"); }
    const FileTree tree = read_archive(file());
    EXPECT_TRUE(tree.files().contains("Müller 作业/01_single_head/single_head.cpp")) << tree.files().size();
}

TEST_P(Archives, AnArchiveInAnArchiveIsReadAndOneInThatIsNot) {
    const auto inner = folder_.path() / "inner.zip";
    { Archive(inner, Kind::zip).add("03_scaled_scores/scaled_scores.cpp", "int x;"); }
    { Archive(file(), GetParam()).add("hw1/inner.zip", build::read_file(inner)); }
    EXPECT_TRUE(read_archive(file()).files().contains("hw1/inner.zip/03_scaled_scores/scaled_scores.cpp"));
    const auto middle = folder_.path() / "middle.zip";
    { Archive(middle, Kind::zip).add("inner.zip", build::read_file(inner)); }
    { Archive(file(), GetParam()).add("middle.zip", build::read_file(middle)); }
    EXPECT_TRUE(read_archive(file()).files().empty());
}

TEST_P(Archives, ABombInAnArchiveIsRefused) {
    const auto inner = folder_.path() / "inner.zip";
    { Archive(inner, Kind::zip).add("zeros.bin", std::string(8U << 20U, '\0')); }
    { Archive(file(), GetParam()).add("inner.zip", build::read_file(inner)); }
    EXPECT_NE(refusal({.archive_bytes = 4U << 20U}).find("unpacks to more than 4 MiB"), std::string::npos);
    {
        Archive many(inner, Kind::zip);
        for (int i = 0; i < 60; ++i) many.add("f" + std::to_string(i) + ".txt", "");
    }
    {
        Archive archive(file(), GetParam());
        archive.add("one.zip", build::read_file(inner));
        archive.add("two.zip", build::read_file(inner));
    }
    EXPECT_NE(refusal({.entries = 100}).find("more than 100 files"), std::string::npos);
}

TEST_P(Archives, WhatIsNoSourceMayHaveAnyName) {
    {
        Archive archive(file(), GetParam());
        archive.add("hand_in/Icon\r", "what macOS keeps in folders");
        archive.add("hand_in/" + std::string(220, 'x') + ".pdf", "%PDF");
        archive.add("hand_in/scaled_scores.cpp", "int x;");
    }
    EXPECT_EQ(read_archive(file()).files().size(), 1U);
    { Archive(file(), GetParam()).add("a\rb.cpp", "int x;"); }
    EXPECT_NE(refusal().find("holds a"), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("cannot be shown; rename it"), std::string::npos) << refusal();
}

TEST_P(Archives, PathsThatLeaveTheFolderAreRefused) {
    for (const char* path : {"../evil.cpp", "a/../../evil.cpp", "/etc/evil.cpp"}) {
        { Archive(file(), GetParam()).add(path, "x"); }
        EXPECT_NE(refusal().find("not below the folder"), std::string::npos) << path << ": " << refusal();
    }
}

TEST_P(Archives, SymbolicLinksAreRefused) {
    { Archive(file(), GetParam()).add("a.cpp", "", AE_IFLNK, "/etc/passwd"); }
    EXPECT_NE(refusal().find("holds a link (a.cpp)"), std::string::npos) << refusal();
}

TEST_P(Archives, BombsAreRefusedBySize) {
    { Archive(file(), GetParam()).add("zeros.bin", std::string(8U << 20U, '\0')); }
    EXPECT_LT(std::filesystem::file_size(file()), 100'000U);
    EXPECT_NE(refusal({.archive_bytes = 4U << 20U}).find("unpacks to more than 4 MiB"), std::string::npos);
    { Archive(file(), GetParam()).add("spaces.cpp", std::string(8U << 20U, ' ')); }
    EXPECT_NE(refusal({.bytes = 1U << 20U}).find("more than 1 MiB of sources"), std::string::npos);
}

TEST_P(Archives, BombsAreRefusedByCount) {
    {
        Archive archive(file(), GetParam());
        for (int i = 0; i < 200; ++i) archive.add("f" + std::to_string(i) + ".txt", "");
    }
    EXPECT_NE(refusal({.entries = 100}).find("more than 100 files"), std::string::npos);
}

TEST_P(Archives, NamesThatNoSystemHoldsAreRefusedWhateverTheyName) {
    { Archive(file(), GetParam()).add(std::string(5000, 'x') + ".txt", ""); }
    EXPECT_NE(refusal().find("a path that is too long: xxx"), std::string::npos) << refusal();
    EXPECT_LT(refusal().size(), 300U);
}

TEST_P(Archives, WhatTakesTooLongIsRefused) {
    { Archive(file(), GetParam()).add("a.cpp", std::string(100'000, 'x')); }
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(refusal({.processor_time = std::chrono::seconds(0)}), "takes more than 0 s to be unpacked");
}

TEST_P(Archives, AFileTwiceIsRefusedSinceNobodyKnowsWhichCounts) {
    {
        Archive archive(file(), GetParam());
        archive.add("a.cpp", "1");
        archive.add("./a.cpp", "2");
    }
    EXPECT_NE(refusal().find("holds a.cpp twice"), std::string::npos) << refusal();
}

TEST_P(Archives, AnArchiveThatIsCutOffIsRefused) {
    { Archive(file(), GetParam()).add("a.cpp", std::string(100'000, 'x')); }
    std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
    EXPECT_NE(refusal(), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, Archives, testing::Values(Kind::zip, Kind::tar),
                         [](const auto& format) { return format.param == Kind::zip ? "Zip" : "TarGz"; });

TEST(TarArchives, HardLinksAndDevicesAreRefused) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.tar.gz";
    { Archive(file, Kind::tar).add("a.cpp", "", AE_IFREG, "/etc/passwd"); }
    EXPECT_THROW(read_archive(file), Malformed);
    for (const unsigned type : {unsigned{AE_IFIFO}, unsigned{AE_IFCHR}, unsigned{AE_IFBLK}}) {
        { Archive(file, Kind::tar).add("a.cpp", "", type); }
        EXPECT_THROW(read_archive(file), Malformed);
    }
}

TEST(TarArchives, ANameOfAnyLengthIsToldInAFewWords) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.tar.gz";
    const std::string name = std::string(500'000, 'x') + ".cpp";
    for (const unsigned type : {unsigned{AE_IFLNK}, unsigned{AE_IFIFO}}) {
        { Archive(file, Kind::tar).add(name, "", type, "/etc/passwd"); }
        try {
            read_archive(file);
            FAIL() << "what is no file was taken";
        } catch (const Malformed& error) {
            EXPECT_LT(std::string(error.what()).size(), 300U);
            EXPECT_NE(std::string(error.what()).find("xxx..."), std::string::npos);
        }
    }
}

/// Attacks write the same piece again and again: bzip2 streams may follow each other.
class PiecesInBzip2 : public testing::Test {
protected:
    void write(const std::string& piece, int times) const {
        const std::string packed = in_bzip2(piece);
        std::string all;
        for (int i = 0; i < times; ++i) all += packed;
        build::write_file(file(), all);
    }

    std::string refusal_within_seconds() const {
        const auto begin = std::chrono::steady_clock::now();
        std::string refusal;
        try {
            read_archive(file());
        } catch (const Malformed& error) {
            refusal = error.what();
        }
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
        return refusal;
    }

private:
    std::filesystem::path file() const { return folder_.path() / "a.tar.bz2"; }

    build::TemporaryFolder folder_;
};

/// 9 GB pass between the two compressions, and nothing comes out.
TEST_F(PiecesInBzip2, OneCompressionAloneIsUndone) {
    constexpr std::string_view empty_gzip("\x1f\x8b\x08\0\0\0\0\0\x02\xff\x03\0\0\0\0\0\0\0\0\0", 20);
    std::string gzips;
    while (gzips.size() < 800'000) gzips += empty_gzip;
    write(gzips, 10'000);
    EXPECT_NE(refusal_within_seconds().find("cannot be unpacked"), std::string::npos);
}

TEST_F(PiecesInBzip2, HeadersCountAsDataDoes) {
    std::string entry;
    for (int i = 0; i < 30; ++i) entry += tar_entry('L', "././@LongLink", "notes.txt" + std::string(999'991, '\0'));
    entry += tar_entry('0', "notes.txt", "");
    write(entry, 200);
    EXPECT_EQ(refusal_within_seconds(), "unpacks to more than 64 MiB");
}

/// libarchive keeps all that a directory says before it tells of the first entry.
TEST(ZipArchives, ADirectoryOfOneFileAThousandTimesIsRefused) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.zip";
    { Archive(file, Kind::zip).add("a.cpp", "int x;"); }
    std::string bytes = build::read_file(file);
    const auto begin = bytes.rfind("PK\x01\x02"), end = bytes.rfind("PK\x05\x06");
    ASSERT_NE(begin, std::string::npos);
    const std::string once = bytes.substr(begin, end - begin);
    std::string more;
    for (int i = 0; i < 2000; ++i) more += once;
    build::write_file(file, bytes.insert(end, more));
    try {
        read_archive(file, {.entries = 100});
        FAIL() << "it was read";
    } catch (const Malformed& error) {
        EXPECT_EQ(std::string(error.what()), "holds more than 100 files");
    }
}

TEST(ZipArchives, NamesInAnUnknownCodeCostNobodyTheSources) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.zip";
    {
        Archive archive(file, Kind::zip, Names::bytes);
        archive.add("J\x81rgen/L\x94sung.pdf", "%PDF");  // CP437, as Windows writes it
        archive.add("J\x81rgen/03_scaled_scores/scaled_scores.cpp", "int x;");
    }
    const FileTree tree = read_archive(file);
    ASSERT_EQ(tree.files().size(), 1U);
    EXPECT_TRUE(tree.files().begin()->first.ends_with("/03_scaled_scores/scaled_scores.cpp"));
}

TEST(ZipArchives, ANameThatIsNotTheUtf8ThatItClaimsToBeIsFoundByItsNeighbour) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.zip";
    {
        Archive archive(file, Kind::zip);
        archive.add("notes.txt", "");
        archive.add("\u00fc.cpp", "int x;");
    }
    std::string bytes = build::read_file(file);
    for (auto at = bytes.find("\u00fc.cpp"); at != std::string::npos; at = bytes.find("\u00fc.cpp", at))
        bytes[at] = '\xff';
    build::write_file(file, bytes);
    try {
        read_archive(file);
        FAIL() << "a name that nobody can read was taken";
    } catch (const Malformed& error) {
        EXPECT_NE(std::string(error.what()).find("after notes.txt"), std::string::npos) << error.what();
    }
}

TEST(ZipArchives, BackslashesOfWindowsAreFolders) {
    const build::TemporaryFolder folder;
    const auto file = folder.path() / "a.zip";
    { Archive(file, Kind::zip).add("hw1\\03_scaled_scores\\scaled_scores.cpp", "int x;"); }
    EXPECT_TRUE(read_archive(file).files().contains("hw1/03_scaled_scores/scaled_scores.cpp"));
    { Archive(file, Kind::zip).add("hw1\\..\\..\\scaled_scores.cpp", "int x;"); }
    EXPECT_THROW(read_archive(file), Malformed);
}

TEST(Folders, ArchivesAreReadWhereThereAreNoSources) {
    const build::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "more");
    { Archive(folder.path() / "more/03.ZIP", Kind::zip).add("scaled_scores.cpp", "3"); }
    { Archive(folder.path() / "04.zip", Kind::zip).add("merge_heads.cpp", "4"); }
    EXPECT_EQ(read_folder(folder.path()).files().size(), 2U);
    folder.write("single_head.cpp", "1");
    EXPECT_EQ(read_folder(folder.path()).files().size(), 1U);
}

/// Each level costs a descriptor: without a bound, a thousand of them would look like a fault of the machine.
TEST(Folders, NestedWithoutEndAreRefused) {
    const build::TemporaryFolder folder;
    folder.write("01_single_head/single_head.cpp", "1");
    std::filesystem::path nested = folder.path();
    for (int i = 0; i < most_nested; ++i) nested /= "deeper";
    std::filesystem::create_directories(nested);
    EXPECT_EQ(read_folder(folder.path()).files().size(), 1U);
    std::filesystem::create_directory(nested / "deeper");
    try {
        read_folder(folder.path());
        FAIL() << "it was read";
    } catch (const Malformed& error) {
        EXPECT_NE(std::string(error.what()).find("more than 64 folders one within the other"), std::string::npos);
    }
}

TEST(Folders, LinksAreNotFollowed) {
    const build::TemporaryFolder folder;
    std::filesystem::create_symlink("/etc/passwd", folder.path() / "a.cpp");
    std::filesystem::create_directory_symlink("/usr/include", folder.path() / "include");
    EXPECT_TRUE(read_folder(folder.path()).files().empty());
}

}  // namespace
}  // namespace headway::intake
