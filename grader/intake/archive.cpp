#include "intake/file_tree.hpp"
#include "intake/names_in_utf8.hpp"
#include "intake/packed_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <string_view>
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

/// Longer than any path that a system could hold, and little enough to be looked at 4000 times.
constexpr std::size_t longest_entry_name = 4096;

/// What may stand beside the data of an entry: headers, a long name, attributes, and what fills the last block.
constexpr std::uintmax_t beside_an_entry = 4096;

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Malformed(fmt::format("{} may not be read", shown(file.filename().string())));
    std::string bytes(fs::file_size(file), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

/// Of this thread.
class ProcessorClock {
public:
    bool has_passed(std::chrono::nanoseconds time) const { return now() - begin_ > time; }

private:
    static std::chrono::nanoseconds now() {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }

    std::chrono::nanoseconds begin_ = now();
};

/// An archive in an archive.
struct Packed {
    std::string path;
    std::string bytes;
};

/// A link may point anywhere, a device is not a file, and an unpacker that follows them writes where it should not.
/// A bomb is small and says nothing of its size: what comes out is counted while it comes out, over all archives of a
/// hand-in; so is what comes out of the decompression and is no entry's data, and the time that it takes.
class Unpacking {
public:
    explicit Unpacking(FileTree& tree) : tree_(tree) {}

    /// @return the archives in it
    std::vector<Packed> unpack_file(const PlacedArchive& archive) {
        const fs::path& file = archive.file;
        const std::uintmax_t most = tree_.bounds().archive_bytes;
        if (!fs::is_regular_file(file)) throw Malformed("is called like an archive, and is no ordinary file");
        if (fs::file_size(file) > most) throw Malformed(fmt::format("is larger than {} MiB", most >> 20U));
        return unpack(bytes_of(file), file.filename().string(), archive.folder);
    }

    /// @return the archives in it, which nobody opens
    std::vector<Packed> unpack(const Packed& archive) {
        return unpack(archive.bytes, archive.path, archive.path + "/");
    }

private:
    std::vector<Packed> unpack(const std::string& bytes, const std::string& name, const std::string& folder) {
        name_ = shown(name);
        folder_ = folder;
        last_.clear();
        packed_.clear();
        // The directory of a zip is read whole before its first entry is seen.
        if (is_directory_beyond(bytes, tree_.bounds().entries)) throw Malformed(tree_.too_many());
        reader_.reset(archive_read_new());
        PackedBytes source(bytes, [this] { return too_much(); });
        source_ = &source;
        support_what_is_handed_in(reader_.get(), bytes);
        if (source.open(reader_.get()) != ARCHIVE_OK) fail();
        archive_entry* entry = nullptr;
        int status = ARCHIVE_OK;
        while ((status = archive_read_next_header(reader_.get(), &entry)) != ARCHIVE_EOF) {
            require_bounds();
            if (status < ARCHIVE_WARN) fail();
            take(entry);
        }
        require_bounds();
        came_out_before_ += came_out();
        reader_.reset();
        return std::move(packed_);
    }

    /// How much this archive's decompression has given, headers and all.
    std::uintmax_t came_out() const {
        return static_cast<std::uintmax_t>(std::max<la_int64_t>(0, archive_filter_bytes(reader_.get(), 0)));
    }

    /// Why no more is read; empty as long as it is.
    std::string too_much() const {
        const Bounds& bounds = tree_.bounds();
        if (unpacked_ > bounds.archive_bytes ||
            came_out_before_ + came_out() > bounds.archive_bytes + bounds.entries * beside_an_entry)
            return fmt::format("unpacks to more than {} MiB", bounds.archive_bytes >> 20U);
        if (clock_.has_passed(bounds.processor_time))
            return fmt::format("takes more than {} s to be unpacked", bounds.processor_time.count());
        return "";
    }

    void require_bounds() const {
        if (const std::string why = too_much(); !why.empty()) throw Malformed(why);
    }

    [[noreturn]] void fail() {
        if (!source_->refusal().empty()) throw Malformed(source_->refusal());
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
        if (std::string_view(name).size() > longest_entry_name)
            throw Malformed(fmt::format("holds a path that is too long: {}", shown(name)));
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
            require_bounds();
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
    const PackedBytes* source_ = nullptr;  ///< of the archive that is read now
    std::uintmax_t unpacked_ = 0;          ///< of entries' data
    std::uintmax_t came_out_before_ = 0;   ///< of the archives that were read before this one
    ProcessorClock clock_;
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
