// The weaker jail's keeper: what bubblewrap is to the other. It builds what can be built without namespaces (a private
// folder, the kernel's filter of system calls, Landlock), starts headway-enter in it, waits for its end, and leaves
// nothing behind: no process, however often it forked and whatever session it made, and no file in the folder.
//
// Its instructions are NUL-terminated words under descriptor 6:
//     user=N folder=PATH landlock=yes see=PATH device=PATH own-processes=yes
// user: whom headway-enter becomes. folder: made, and removed. landlock: only what see (to read), device (to read and
// write) and folder name can be opened. own-processes: it may read /proc/self.
// Usage: headway-guard ENTER
#include "sandbox/entry/descendants.hpp"
#include "sandbox/entry/folder.hpp"
#include "sandbox/entry/landlock.hpp"
#include "sandbox/entry/words.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// As in process.hpp; this program is built without the grader's headers.
constexpr int channel = 3;
constexpr int ready = 4;
constexpr int delivery = 5;
constexpr int instructions = 6;
constexpr int instructions_of_entry = 7;
constexpr int system_calls = 8;

/// Tells the grader why there is no jail, and ends.
[[noreturn]] void give_up() {
    const int why = errno;
    if (::write(ready, &why, sizeof why) < 0) ::_exit(126);
    ::_exit(127);
}

// ---- the prisoner's side, before headway-enter ----------------------------------------------------------------------

void obey_landlock(const entry::Words& words) {
    if (words.value("landlock") == nullptr) return;
    landlock::Rules rules;
    bool made = true;
    words.each("see", [&](const char* path) { made &= rules.allow(path, landlock::to_read); });
    words.each("device",
               [&](const char* path) { made &= rules.allow(path, landlock::read_file | landlock::write_file); });
    if (const char* folder = words.value("folder")) made &= rules.allow(folder, landlock::to_work_in);
    if (words.value("own-processes") != nullptr)
        made &= rules.allow("/proc/self", landlock::read_file | landlock::read_folder);
    if (!made || !rules.obey()) give_up();
}

void obey_filter() {
    std::string bytes = entry::read_all(system_calls);
    if (bytes.empty()) return;
    sock_fprog program{};
    program.len = static_cast<unsigned short>(bytes.size() / sizeof(sock_filter));
    program.filter = reinterpret_cast<sock_filter*>(bytes.data());
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) give_up();
}

[[noreturn]] void enter(const entry::Words& words, char** argv, pid_t keeper) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != keeper) ::_exit(126);
    obey_landlock(words);
    obey_filter();
    ::close(instructions);
    ::close(system_calls);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    char* const no_environment[] = {nullptr};
    ::execve(argv[1], argv + 1, no_environment);
    give_up();
}

// ---- the keeper's side ----------------------------------------------------------------------------------------------

/// Everything of that user at once: who forks meanwhile is hit as well, since the kernel signals them under one lock.
/// @return false if we may start no process that does it
bool kill_all_of(uid_t user) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setresuid(user, user, user) == 0) ::kill(-1, SIGKILL);
        ::_exit(0);
    }
    return child > 0;
}

/// Where neither of the others can be done. Whom it started is ours to adopt, so it descends from us. All are stopped
/// first: what is stopped cannot fork, and takes up a place among the processes that it may have.
void kill_descendants() {
    for (std::size_t stopped = 0, before = 1; stopped != before;) {
        before = stopped;
        stopped = entry::signal_descendants(SIGSTOP);
    }
    entry::signal_descendants(SIGKILL);
}

/// @param alone  whether our signals reach nobody but whom we started: then one for all is under one lock, too
void leave_nobody(const char* user, bool alone) {
    for (;;) {
        if (alone)
            ::kill(-1, SIGKILL);
        else if (user == nullptr || !kill_all_of(static_cast<uid_t>(std::strtoul(user, nullptr, 10))))
            kill_descendants();
        // Those killed may take a moment to die, and their children to become ours.
        for (int patience = 0; patience < 20; ++patience) {
            pid_t gone = 0;
            while ((gone = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
            }
            if (gone < 0 && errno == ECHILD) return;
            const timespec moment{0, 500'000};
            ::nanosleep(&moment, nullptr);
        }
    }
}

/// @return its exit status, as a shell tells it; that of SIGKILL when the grader wants an end
int wait_for(pid_t prisoner, const sigset_t& awaited) {
    for (;;) {
        int signal = 0;
        if (::sigwait(&awaited, &signal) != 0) continue;
        if (signal != SIGCHLD) return 128 + SIGKILL;
        int status = 0;
        for (pid_t gone = 0; (gone = ::waitpid(-1, &status, WNOHANG)) > 0;)
            if (gone == prisoner && !WIFSTOPPED(status))
                return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 126;
    const entry::Words words(entry::read_all(instructions));
    sigset_t awaited;
    sigemptyset(&awaited);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&awaited, signal);
    ::sigprocmask(SIG_BLOCK, &awaited, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // instead of SIGKILL: somebody must clean up
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);

    const char* user = words.value("user");
    const char* folder = words.value("folder");
    if (folder != nullptr && !entry::make_private_folder(folder, user)) give_up();
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up();
    const bool alone = landlock::signal_only_descendants();
    const pid_t keeper = ::getpid();
    const pid_t prisoner = ::fork();
    if (prisoner < 0) give_up();
    if (prisoner == 0) enter(words, argv, keeper);
    for (const int theirs :
         {STDOUT_FILENO, STDERR_FILENO, channel, ready, delivery, instructions, instructions_of_entry, system_calls})
        ::close(theirs);
    const int status = wait_for(prisoner, awaited);
    leave_nobody(user, alone);
    if (folder != nullptr) entry::remove_folder(folder);
    return status;
}
