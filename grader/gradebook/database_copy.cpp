// Database: where it may keep its journal, and a copy of it.
#include "gradebook/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace headway::gradebook {
namespace {

/// Opened for a copy alone; closed with all that belongs to it.
std::unique_ptr<sqlite3, int (*)(sqlite3*)> open_copy(const std::filesystem::path& file) {
    sqlite3* copy = nullptr;
    sqlite3_open_v2(file.c_str(), &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    return {copy, sqlite3_close_v2};
}

/// @return what went wrong; SQLITE_OK
int copy_pages(sqlite3* from, sqlite3* to) {
    constexpr int all_pages = -1;
    sqlite3_backup* backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup == nullptr) return sqlite3_errcode(to);
    sqlite3_backup_step(backup, all_pages);
    if (const int status = sqlite3_backup_finish(backup); status != SQLITE_OK) return status;
    // One file, without a journal beside it.
    return sqlite3_exec(to, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
}

void write_through(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

}  // namespace

/// Write-ahead mode keeps an index in memory that all who have the file open must share, which two machines cannot
/// [sqlite.org/wal.html]. So it needs a file system that is known to be this machine's own [linux/magic.h]; on NFS,
/// SMB, Lustre, FUSE and what nobody has thought of, the older journal is as safe and a little slower.
const char* journal_mode(std::uint64_t file_system) {
    constexpr std::array<std::uint64_t, 12> local = {
        0xEF53,      // ext2, ext3, ext4
        0x58465342,  // xfs
        0x9123683E,  // btrfs
        0xF2F52010,  // f2fs
        0x2FC12FC1,  // zfs
        0xCA451A4E,  // bcachefs
        0x3153464A,  // jfs
        0x52654973,  // reiserfs
        0xF15F,      // ecryptfs
        0x794C7630,  // overlayfs, of containers
        0x01021994,  // tmpfs
        0x858458F6,  // ramfs
    };
    return std::ranges::find(local, file_system) == local.end() ? "DELETE" : "WAL";
}

void Database::copy_to(const std::filesystem::path& copy) const {
    const std::filesystem::path part = copy.string() + ".part";
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    ::close(::open(part.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    int status = SQLITE_NOMEM;
    if (const auto to = open_copy(part); to != nullptr) status = copy_pages(database_.get(), to.get());
    write_through(part);
    if (status == SQLITE_OK && ::rename(part.c_str(), copy.c_str()) == 0)
        return write_through(std::filesystem::absolute(copy).parent_path());
    std::filesystem::remove(part, ignored);
    throw DatabaseError(
        fmt::format("cannot make the copy {} ({}), without which nothing is changed; is the disk full? Free some "
                    "space and run the same command again",
                    copy.string(), sqlite3_errstr(status)));
}

}  // namespace headway::gradebook
