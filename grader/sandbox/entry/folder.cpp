#include "sandbox/entry/folder.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace entry {
namespace {

/// Removes what is no folder, in the working directory. @return the name of a folder that is left; empty if none is
std::string remove_files() {
    std::string folder;
    DIR* all = ::opendir(".");
    while (const dirent* one = all != nullptr ? ::readdir(all) : nullptr) {
        const std::string name = one->d_name;
        if (name == "." || name == "..") continue;
        if (::unlinkat(AT_FDCWD, name.c_str(), 0) != 0 && ::unlinkat(AT_FDCWD, name.c_str(), AT_REMOVEDIR) != 0)
            folder = name;
    }
    if (all != nullptr) ::closedir(all);
    return folder;
}

/// Into a folder, and not through a link. Who made it may have shut it.
bool descend(const char* name) {
    const int place = ::open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) return false;
    ::chmod(("/proc/self/fd/" + std::to_string(place)).c_str(), 0700);
    const bool entered = ::fchdir(place) == 0;
    ::close(place);
    return entered;
}

}  // namespace

bool make_private_folder(const char* path, const char* user) {
    if (::mkdir(path, 0700) != 0) return false;
    if (user == nullptr) return true;
    const auto owner = static_cast<uid_t>(std::strtoul(user, nullptr, 10));
    return ::lchown(path, owner, owner) == 0;
}

void remove_folder(const char* path) {
    if (!descend(path)) return;
    std::vector<std::string> way{path};
    for (std::string emptied; !way.empty();) {
        const std::string folder = remove_files();
        if (folder.empty()) {
            if (::chdir("..") != 0) break;
            emptied = way.back();
            way.pop_back();
        } else {
            if (folder == emptied || !descend(folder.c_str())) break;  // it cannot be removed
            emptied.clear();
            way.push_back(folder);
        }
    }
    if (::chdir("/") == 0) ::rmdir(path);
}

}  // namespace entry
