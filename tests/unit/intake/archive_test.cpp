// An archive comes from a stranger: whatever is in it, nothing is written, and a reason is given.
#include "intake/file_tree.hpp"

#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <archive.h>
#include <archive_entry.h>

namespace headway::intake {
namespace {

enum class Kind { zip, tar };

/// An archive that says what we want, right or wrong.
class Archive {
public:
    Archive(const std::filesystem::path& file, Kind kind) : archive_(archive_write_new()) {
        if (kind == Kind::zip) {
            archive_write_set_format_zip(archive_);
            archive_write_set_options(archive_, "hdrcharset=UTF-8");
        } else {
            archive_write_set_format_gnutar(archive_);
            archive_write_add_filter_gzip(archive_);
        }
        archive_write_open_filename(archive_, file.c_str());
    }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    ~Archive() { archive_write_free(archive_); }

    void add(const std::string& path, const std::string& text, unsigned type = AE_IFREG, const char* link = nullptr) {
        archive_entry* entry = archive_entry_new();
        if (archive_format(archive_) == ARCHIVE_FORMAT_ZIP)
            archive_entry_set_pathname_utf8(entry, path.c_str());  // marked as such in the file
        else
            archive_entry_set_pathname(entry, path.c_str());
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, 0644);
        if (link != nullptr && type == AE_IFLNK) archive_entry_set_symlink(entry, link);
        if (link != nullptr && type == AE_IFREG) archive_entry_set_hardlink(entry, link);
        archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
        archive_write_header(archive_, entry);
        archive_write_data(archive_, text.data(), text.size());
        archive_entry_free(entry);
    }

private:
    archive* archive_;
};

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

TEST(Folders, LinksAreNotFollowed) {
    const build::TemporaryFolder folder;
    std::filesystem::create_symlink("/etc/passwd", folder.path() / "a.cpp");
    std::filesystem::create_directory_symlink("/usr/include", folder.path() / "include");
    EXPECT_TRUE(read_folder(folder.path()).files().empty());
}

}  // namespace
}  // namespace headway::intake
