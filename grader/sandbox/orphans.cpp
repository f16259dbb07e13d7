#include "sandbox/orphans.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
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

/// Whether it is the keeper of a weaker jail, whose judge has died: it ends its prisoners and removes their folder. By
/// its name, which a prisoner can take, too: that gives it some seconds.
bool may_be_a_keeper(pid_t orphan) {
    std::string name;
    std::getline(std::ifstream("/proc/" + std::to_string(orphan) + "/comm") >> std::ws, name);
    return name == "headway-guard";
}

enum class Keepers { asked, killed };

/// @return whether there was one: those that it has started come to us only when it has died
bool bury_the_dead(Keepers keepers) {
    const std::lock_guard lock(mutex);
    bool some = false;
    for (const pid_t child : children()) {
        if (own_children.contains(child) || ::getsid(child) == ::getsid(0)) continue;
        ::kill(child, keepers == Keepers::asked && may_be_a_keeper(child) ? SIGTERM : SIGKILL);
        ::waitpid(child, nullptr, WNOHANG);
        some = true;
    }
    return some;
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
    // A jail takes milliseconds to fall, and seconds where the machine has no time for it.
    const auto begin = std::chrono::steady_clock::now();
    const auto for_less_than = [&](std::chrono::seconds time) {
        return std::chrono::steady_clock::now() - begin < time;
    };
    constexpr std::chrono::seconds for_keepers{10};
    constexpr std::chrono::seconds for_all{20};
    while (for_less_than(for_all) && bury_the_dead(for_less_than(for_keepers) ? Keepers::asked : Keepers::killed))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace headway::sandbox
