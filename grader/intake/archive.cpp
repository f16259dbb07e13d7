#include "intake/file_tree.hpp"
#include "intake/names_in_utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

struct Close {
    void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, Close>;

/// Of formats and compressions only what people hand in: each more is more code that reads strangers' bytes.
Reader new_reader() {
    Reader reader(archive_read_new());
    archive_read_support_format_zip(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_filter_bzip2(reader.get());
    return reader;
}

/// An archive in an archive.
struct Packed {
    std::string path;
    std::string bytes;
};

/// A link may point anywhere, a device is not a file, and an unpacker that follows them writes where it should not.
/// A bomb is small and says nothing of its size: what comes out is counted while it comes out, over all archives of a
/// hand-in.
class Unpacking {
public:
    explicit Unpacking(FileTree& tree) : tree_(tree) {}

    /// @return the archives in it
    std::vector<Packed> unpack_file(const PlacedArchive& archive) {
        const fs::path& file = archive.file;
        if (!fs::is_regular_file(file)) throw Malformed("is called like an archive, and is no ordinary file");
        if (fs::file_size(file) > tree_.bounds().archive_bytes)
            throw Malformed(fmt::format("is larger than {} MiB", tree_.bounds().archive_bytes >> 20U));
        begin(file.filename().string(), archive.folder);
        constexpr std::size_t block = 64U << 10U;
        if (archive_read_open_filename(reader_.get(), file.c_str(), block) != ARCHIVE_OK) fail();
        return run();
    }

    /// @return the archives in it, which nobody opens
    std::vector<Packed> unpack(const Packed& archive) {
        begin(archive.path, archive.path + "/");
        if (archive_read_open_memory(reader_.get(), archive.bytes.data(), archive.bytes.size()) != ARCHIVE_OK) fail();
        return run();
    }

private:
    void begin(const std::string& name, const std::string& folder) {
        reader_ = new_reader();
        name_ = shown(name);
        folder_ = folder;
        last_.clear();
        packed_.clear();
    }

    std::vector<Packed> run() {
        archive_entry* entry = nullptr;
        int status = ARCHIVE_OK;
        while ((status = archive_read_next_header(reader_.get(), &entry)) != ARCHIVE_EOF) {
            if (status < ARCHIVE_WARN) fail();
            take(entry);
        }
        return std::move(packed_);
    }

    [[noreturn]] void fail() {
        const char* why = archive_error_string(reader_.get());
        throw Malformed(fmt::format(
            "{} cannot be unpacked: {}. It may be damaged, or be no zip or tar at all; does it open elsewhere?", name_,
            why != nullptr ? why : "unknown reason"));
    }

    /// In UTF-8 where the archive says so, and otherwise its bytes: what matters of them is mostly ASCII.
    std::string name_of(archive_entry* entry) {
        const char* name = archive_entry_pathname_utf8(entry);
        if (name == nullptr) name = archive_entry_pathname(entry);
        if (name == nullptr)
            throw Malformed(fmt::format("holds a file whose name is not the UTF-8 that it is said to be, {}",
                                        last_.empty() ? "at the beginning" : "after " + shown(last_)));
        last_ = name;
        // Some programs on Windows write their own separator.
        if ((archive_format(reader_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP)
            std::ranges::replace(last_, '\\', '/');
        return last_;
    }

    void take(archive_entry* entry) {
        const auto type = archive_entry_filetype(entry);
        if (type == AE_IFDIR) return tree_.count_folder();
        tree_.count_file();
        const std::string name = FileTree::with_small_ending(name_of(entry));
        FileTree::require_below(name);
        if (archive_entry_symlink(entry) != nullptr || archive_entry_hardlink(entry) != nullptr)
            throw Malformed(fmt::format("holds a link ({}); hand in the files themselves", shown(name)));
        if (type != AE_IFREG && type != 0)
            throw Malformed(fmt::format("holds {}, which is no ordinary file", shown(name)));
        if (archive_entry_is_encrypted(entry) != 0)
            throw Malformed("is encrypted; hand in an archive without a password");
        if (FileTree::counts(name)) {
            const std::string path = folder_ + FileTree::checked_path(name);
            tree_.add(path, read(tree_.bounds().bytes + 1));
        } else if (FileTree::may_hold_sources(name)) {
            const std::string path = folder_ + FileTree::checked_path(name);
            packed_.push_back({path, read(tree_.bounds().archive_bytes)});
        } else {
            if (!foreign_archive_ending(name).empty()) tree_.add_unread(why_foreign(name));
            read(0);
        }
    }

    /// What does not count is read to see how large it is, and not kept.
    std::string read(std::uintmax_t most) {
        std::string text;
        std::array<char, 16U << 10U> buffer{};
        for (;;) {
            const auto got = archive_read_data(reader_.get(), buffer.data(), buffer.size());
            if (got < 0) fail();
            if (got == 0) return text;
            unpacked_ += static_cast<std::uintmax_t>(got);
            if (unpacked_ > tree_.bounds().archive_bytes)
                throw Malformed(fmt::format("unpacks to more than {} MiB", tree_.bounds().archive_bytes >> 20U));
            if (text.size() < most) text.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    NamesInUtf8 names_;
    FileTree& tree_;
    Reader reader_;
    std::string name_;    ///< what messages call the archive
    std::string folder_;  ///< where its sources go
    std::string last_;    ///< the last name that was read
    std::vector<Packed> packed_;
    std::uintmax_t unpacked_ = 0;
};

}  // namespace

void unpack_into(FileTree& tree, const std::vector<PlacedArchive>& archives) {
    Unpacking unpacking(tree);
    std::vector<Packed> inner;
    for (const PlacedArchive& archive : archives)
        for (Packed& one : unpacking.unpack_file(archive)) inner.push_back(std::move(one));
    const bool has_sources = !tree.files().empty();
    for (const Packed& archive : inner)
        if (has_sources)
            tree.add_unread(why_unopened(archive.path));
        else
            unpacking.unpack(archive);
}

FileTree read_archive(const fs::path& file, Bounds bounds) {
    FileTree tree(bounds);
    unpack_into(tree, {{file, ""}});
    return tree;
}

}  // namespace headway::intake
