#include "intake/file_tree.hpp"
#include "intake/names_in_utf8.hpp"

#include <fmt/format.h>

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

[[noreturn]] void fail(const fs::path& file, archive* reader) {
    const char* why = archive_error_string(reader);
    throw Malformed(fmt::format("{} cannot be unpacked: {}", file.filename().string(), why ? why : "unknown reason"));
}

/// Of formats and compressions only what people hand in: each more is more code that reads strangers' bytes.
Reader open(const fs::path& file) {
    Reader reader(archive_read_new());
    archive_read_support_format_zip(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_filter_bzip2(reader.get());
    constexpr std::size_t block = 64U << 10U;
    if (archive_read_open_filename(reader.get(), file.c_str(), block) != ARCHIVE_OK) fail(file, reader.get());
    return reader;
}

/// A link may point anywhere, a device is not a file, and an unpacker that follows them writes where it should not.
/// A bomb is small and says nothing of its size: what comes out is counted while it comes out.
class Unpacking {
public:
    Unpacking(const fs::path& file, Bounds bounds) : file_(file), reader_(open(file)), tree_(bounds) {}

    FileTree run() {
        archive_entry* entry = nullptr;
        int status = ARCHIVE_OK;
        while ((status = archive_read_next_header(reader_.get(), &entry)) != ARCHIVE_EOF) {
            if (status < ARCHIVE_WARN) fail(file_, reader_.get());
            take(entry);
        }
        return std::move(tree_);
    }

private:
    void take(archive_entry* entry) {
        tree_.count_entry();
        const char* name = archive_entry_pathname(entry);
        if (name == nullptr) throw Malformed("holds a file without a readable name");
        const std::string path = FileTree::checked_path(name);
        if (archive_entry_symlink(entry) != nullptr || archive_entry_hardlink(entry) != nullptr)
            throw Malformed(fmt::format("holds a link ({}); hand in the files themselves", path));
        const auto type = archive_entry_filetype(entry);
        if (type == AE_IFDIR) return;
        if (type != AE_IFREG && type != 0) throw Malformed(fmt::format("holds {}, which is no ordinary file", path));
        if (archive_entry_is_encrypted(entry) != 0) throw Malformed("is encrypted");
        std::string text = read();
        if (FileTree::counts(path)) tree_.add(path, std::move(text));
    }

    std::string read() {
        std::string text;
        std::array<char, 16U << 10U> buffer{};
        for (;;) {
            const auto got = archive_read_data(reader_.get(), buffer.data(), buffer.size());
            if (got < 0) fail(file_, reader_.get());
            if (got == 0) return text;
            unpacked_ += static_cast<std::uintmax_t>(got);
            if (unpacked_ > tree_.bounds().archive_bytes)
                throw Malformed(fmt::format("unpacks to more than {} MiB", tree_.bounds().archive_bytes >> 20U));
            // What does not count is read to see how large it is, and not kept.
            if (text.size() <= tree_.bounds().bytes) text.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }

    NamesInUtf8 names_;
    fs::path file_;
    Reader reader_;
    FileTree tree_;
    std::uintmax_t unpacked_ = 0;
};

}  // namespace

FileTree read_archive(const fs::path& file, Bounds bounds) {
    if (!fs::is_regular_file(file)) throw Malformed("is called like an archive, and is no ordinary file");
    if (fs::file_size(file) > bounds.archive_bytes)
        throw Malformed(fmt::format("is larger than {} MiB", bounds.archive_bytes >> 20U));
    return Unpacking(file, bounds).run();
}

}  // namespace headway::intake
