#include "sandbox/entry/descendants.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <set>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace entry {
namespace {

/// "12 (any name) S 1 ..." -> 1
int parent_in(const std::string& stat) {
    const std::size_t name_end = stat.rfind(')');
    return name_end == std::string::npos ? 0 : std::atoi(stat.c_str() + std::min(name_end + 3, stat.size()));
}

int parent_of(int pid) {
    const int file = ::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    std::string stat(512, '\0');
    const ssize_t got = ::read(file, stat.data(), stat.size());
    ::close(file);
    stat.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return parent_in(stat);
}

}  // namespace

std::size_t signal_descendants(int signal) {
    std::set<int> family{::getpid()};
    DIR* processes = ::opendir("/proc");
    std::set<int> others;
    while (const dirent* one = processes != nullptr ? ::readdir(processes) : nullptr)
        if (const int pid = std::atoi(one->d_name); pid > 0 && pid != ::getpid()) others.insert(pid);
    if (processes != nullptr) ::closedir(processes);
    for (bool grown = true; grown;) {
        grown = false;
        for (auto at = others.begin(); at != others.end();)
            if (family.contains(parent_of(*at))) {
                family.insert(*at);
                at = others.erase(at);
                grown = true;
            } else {
                ++at;
            }
    }
    std::size_t reached = 0;
    for (const int pid : family)
        if (pid != ::getpid() && ::kill(pid, signal) == 0) ++reached;
    return reached;
}

}  // namespace entry
