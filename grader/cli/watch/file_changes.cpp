#include "cli/watch/file_changes.hpp"

#include <array>
#include <utility>

#include <sys/inotify.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

/// What others write there, this kernel does not hear of: NFS, SMB (two of them), 9p, FUSE (sshfs, shared folders).
bool is_deaf(const fs::path& folder) {
    constexpr std::array<unsigned long, 5> deaf = {0x6969, 0x517B, 0xFF534D42, 0x01021997, 0x65735546};
    struct statfs info {};
    if (::statfs(folder.c_str(), &info) != 0) return true;
    for (const unsigned long type : deaf)
        if (static_cast<unsigned long>(info.f_type) == type) return true;
    return false;
}

bool watch(int inotify, const fs::path& folder) {
    // Editors write in place, or write another file and rename it.
    constexpr std::uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE;
    return ::inotify_add_watch(inotify, folder.c_str(), events) >= 0;
}

}  // namespace

FileChanges::FileChanges(std::vector<fs::path> folders, Notice wanted) : folders_(std::move(folders)) {
    for (const fs::path& folder : folders_) known_[folder] = fingerprint(folder);
    bool deaf = wanted == Notice::polling;
    for (const fs::path& folder : folders_) deaf = deaf || is_deaf(folder);
    if (deaf) return;
    inotify_ = sandbox::Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (inotify_) watch_all();
}

FileChanges::Fingerprint FileChanges::fingerprint(const fs::path& folder) {
    Fingerprint files;
    std::error_code vanished;  // while we look: the next look sees it
    for (fs::recursive_directory_iterator entry(folder, vanished), end; entry != end; entry.increment(vanished)) {
        if (!entry->is_regular_file(vanished)) continue;
        files[entry->path().string()] = {entry->file_size(vanished),
                                         entry->last_write_time(vanished).time_since_epoch().count()};
    }
    return files;
}

void FileChanges::watch_all() {
    bool all = true;
    for (const fs::path& folder : folders_) {
        all = all && watch(inotify_.get(), folder);
        std::error_code vanished;
        for (fs::recursive_directory_iterator entry(folder, vanished), end; entry != end; entry.increment(vanished))
            if (entry->is_directory(vanished)) all = all && watch(inotify_.get(), entry->path());
    }
    if (!all) inotify_.reset();  // no watches left, say: from now on we look
}

void FileChanges::drain() {
    alignas(inotify_event) std::array<char, 4096> buffer;
    while (::read(inotify_.get(), buffer.data(), buffer.size()) > 0) {
    }
}

std::set<fs::path> FileChanges::take() {
    if (inotify_) {
        drain();
        watch_all();  // a folder that has come, or came back
    }
    std::set<fs::path> changed;
    for (const fs::path& folder : folders_) {
        Fingerprint now = fingerprint(folder);
        if (now == known_[folder]) continue;
        known_[folder] = std::move(now);
        changed.insert(folder);
    }
    return changed;
}

}  // namespace headway::cli
