#include "grading/folder_lock.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* result_name = "result.json";  // results.cpp reads it

fs::path file_in(const fs::path& folder) { return folder / "lock"; }

/// Who waited for a folder that was removed meanwhile holds the lock of nothing.
bool is_still_there(const sandbox::Descriptor& file, const fs::path& path) {
    struct stat held {};
    struct stat there {};
    return ::fstat(file.get(), &held) == 0 && ::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

struct Leftover {
    fs::path folder;
    fs::file_time_type used;
    std::uintmax_t bytes = 0;
};

std::uintmax_t bytes_in(const fs::path& folder) {
    std::error_code ignored;
    std::uintmax_t bytes = 0;
    for (auto entry = fs::recursive_directory_iterator(folder, ignored); entry != fs::recursive_directory_iterator();
         entry.increment(ignored)) {
        std::error_code gone;
        if (!entry->is_regular_file(gone) || gone) continue;
        if (const std::uintmax_t size = entry->file_size(gone); !gone) bytes += size;
    }
    return bytes;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) folders.push_back(entry.path());
    return folders;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
    constexpr int attempts = 100;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::error_code removed_meanwhile;
        fs::create_directories(folder, removed_meanwhile);
        file_ = sandbox::Descriptor(::open(file_in(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (!file_ && errno == ENOENT) continue;
        if (!file_) break;
        while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
        }
        if (!is_still_there(file_, file_in(folder))) continue;
        ::futimens(file_.get(), nullptr);
        return;
    }
    throw std::system_error(errno, std::generic_category(), "cannot lock " + folder.string());
}

std::optional<FolderLock> FolderLock::try_to_hold(const fs::path& folder) {
    sandbox::Descriptor file(::open(file_in(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
    if (!is_still_there(file, file_in(folder))) return std::nullopt;
    return FolderLock(std::move(file));
}

fs::file_time_type FolderLock::last_used(const fs::path& folder) {
    std::error_code missing;
    const auto used = fs::last_write_time(file_in(folder), missing);
    return missing ? fs::file_time_type::min() : used;
}

void keep_within(const fs::path& work, std::uintmax_t most) {
    std::vector<Leftover> leftovers;
    std::uintmax_t all = 0;
    for (const fs::path& submission : folders_in(work))
        for (const fs::path& folder : folders_in(submission)) {
            leftovers.push_back({folder, FolderLock::last_used(folder), bytes_in(folder)});
            all += leftovers.back().bytes;
        }
    std::ranges::sort(leftovers, {}, &Leftover::used);
    for (const Leftover& oldest : leftovers) {
        if (all <= most) return;
        const auto held = FolderLock::try_to_hold(oldest.folder);
        if (!held) continue;
        std::error_code ignored;
        fs::remove_all(oldest.folder, ignored);
        fs::remove(oldest.folder.parent_path(), ignored);  // if nothing else is in it
        all -= oldest.bytes;
    }
}

void keep_small(const fs::path& folder, std::uintmax_t most) {
    const auto held = FolderLock::try_to_hold(folder);
    if (!held || bytes_in(folder) <= most) return;
    std::vector<fs::path> products;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path() != file_in(folder) && entry.path().filename() != result_name) products.push_back(entry.path());
    for (const fs::path& product : products) fs::remove_all(product, ignored);
}

}  // namespace headway::cli
