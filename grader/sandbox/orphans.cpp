#include "sandbox/orphans.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headway::sandbox {
namespace {

std::atomic<bool> adopting{false};
std::mutex mutex;  // forking, forgetting and burying take turns: a child is either known or an orphan
std::set<pid_t> own_children;

/// Children of all our threads. Empty where the kernel does not tell (CONFIG_PROC_CHILDREN).
std::vector<pid_t> children() {
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        std::ifstream numbers(thread.path() / "children");
        for (pid_t child = 0; numbers >> child;) found.push_back(child);
    }
    return found;
}

/// @return whether one is left that still dies
bool bury_the_dead() {
    const std::lock_guard lock(mutex);
    bool some_left = false;
    for (const pid_t child : children()) {
        if (own_children.contains(child) || ::getsid(child) == ::getsid(0)) continue;
        ::kill(child, SIGKILL);
        some_left |= ::waitpid(child, nullptr, WNOHANG) == 0;
    }
    return some_left;
}

}  // namespace

void adopt_orphans() { adopting = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; }

pid_t fork_own_child() {
    const std::lock_guard lock(mutex);
    const pid_t child = ::fork();
    if (child > 0) own_children.insert(child);
    return child;
}

void forget_own_child(pid_t child) {
    const std::lock_guard lock(mutex);
    own_children.erase(child);
}

void bury_orphans() {
    if (!adopting) return;
    constexpr int patience = 200;  // of a millisecond each; a jail takes a few to fall
    for (int attempt = 0; attempt < patience && bury_the_dead(); ++attempt)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace headway::sandbox
