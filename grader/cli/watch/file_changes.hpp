#pragma once

#include "sandbox/descriptor.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace headway::cli {

/// How changes are noticed: the kernel tells us (inotify), or we look twice a second. Polling is for file systems whose
/// changes the kernel does not hear of (a network's, a virtual machine's shared folder), and for when no watches are
/// left.
enum class Notice { told, polling };

/// Which of some folders have changed, files in folders of theirs included.
class FileChanges {
public:
    explicit FileChanges(std::vector<std::filesystem::path> folders, Notice wanted = Notice::told);

    Notice notice() const { return inotify_ ? Notice::told : Notice::polling; }
    /// Readable when it is worth asking; -1: ask every `patience`.
    int descriptor() const { return inotify_.get(); }
    static constexpr int patience_in_ms = 500;

    /// The folders whose files differ from those at the last call. Does not block.
    std::set<std::filesystem::path> take();

private:
    /// Each file's size and time of change.
    using Fingerprint = std::map<std::string, std::pair<std::uintmax_t, std::int64_t>>;

    static Fingerprint fingerprint(const std::filesystem::path& folder);
    void watch_all();
    void drain();

    std::vector<std::filesystem::path> folders_;
    std::map<std::filesystem::path, Fingerprint> known_;
    sandbox::Descriptor inotify_;
};

}  // namespace headway::cli
