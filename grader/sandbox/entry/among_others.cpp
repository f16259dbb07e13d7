#include "sandbox/entry/among_others.hpp"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace entry::among_others {
namespace {

bool opens(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

/// A file of ours in this folder; it goes again.
bool can_write_in(const std::string& folder) {
    const std::string file = folder + "/headway-attempt-" + std::to_string(::getpid());
    if (!opens(file, O_WRONLY | O_CREAT | O_EXCL)) return false;
    ::unlink(file.c_str());
    return true;
}

constexpr const char* for_everybody[] = {"/tmp", "/var/tmp", "/dev/shm"};

std::string writable_for_everybody() {
    for (const char* folder : for_everybody)
        if (can_write_in(folder)) return std::string(folder) + " can be written";
    return "";
}

/// What the kernel lets a process do to another of its user.
std::string meddling(pid_t grader) {
    if (::kill(grader, 0) == 0) return "it can signal the grader";
    if (::kill(::getppid(), 0) == 0) return "it can signal its guard";
    rlimit limit{};
    if (::syscall(SYS_prlimit64, grader, RLIMIT_CPU, nullptr, &limit) == 0) return "it can limit the grader";
    if (::setpriority(PRIO_PROCESS, static_cast<id_t>(grader), 19) == 0) return "it can slow the grader down";
    cpu_set_t all;
    CPU_ZERO(&all);
    CPU_SET(0, &all);
    if (::sched_setaffinity(grader, sizeof all, &all) == 0) return "it can move the grader";
    return "";
}

}  // namespace

std::string host_files(const Surroundings& around) {
    for (const char* path : {"/etc/shadow", "/root"})
        if (opens(path, O_RDONLY)) return std::string(path) + " opens";
    if (!around.landlock) return "";
    for (const char* path : {"/", "/etc/passwd", "/etc", "/home", "/var", "/tmp", "/dev", "/dev/shm", "/proc", "/sys"})
        if (opens(path, O_RDONLY)) return std::string(path) + " opens";
    return "";
}

std::string closed_files(const Surroundings& around) {
    for (const std::string& path : around.closed)
        if (opens(path, O_RDONLY)) return path + " opens";
    return "";
}

std::string writable_files(const Surroundings& around) {
    for (const char* folder : {"/", "/etc", "/usr", "/usr/lib", "/usr/bin", "/usr/local/lib"})
        if (can_write_in(folder)) return std::string(folder) + " can be written";
    if (opens("/proc/self/exe", O_WRONLY)) return "its own program can be written";
    std::vector<std::string> kept = around.closed;
    kept.insert(kept.end(), around.kept.begin(), around.kept.end());
    for (const std::string& path : kept) {
        if (can_write_in(path) || opens(path, O_WRONLY)) return path + " can be written";
        struct stat about {};
        if (::stat(path.c_str(), &about) == 0 && ::chmod(path.c_str(), about.st_mode & 07777U) == 0)
            return "it can say who may read " + path;
    }
    // Without flags to set, the kernel has something else to say than the filter.
    if (::ioctl(STDIN_FILENO, FS_IOC_SETFLAGS, nullptr) == 0 || errno != EPERM)
        return "it can change the attributes of files";
    return around.landlock ? writable_for_everybody() : "";
}

std::string large_folder(const Surroundings& around) { return around.landlock ? writable_for_everybody() : ""; }

std::string other_processes(const Surroundings& around) {
    const std::string grader = "/proc/" + std::to_string(around.grader);
    for (const char* file : {"/mem", "/environ", "/maps", "/fd", "/map_files"})
        if (opens(grader + file, O_RDONLY)) return grader + file + " opens";
    if (around.landlock && opens(grader + "/cmdline", O_RDONLY)) return grader + "/cmdline opens";
    return meddling(around.grader);
}

std::string letter_boxes(const Surroundings& around) {
    if (::syscall(SYS_shmget, 0, 4096, 01600) >= 0) return "shmget works";
    if (::syscall(SYS_shmat, 0, nullptr, 0) >= 0 || errno != EPERM) return "shmat is answered";
    if (::syscall(SYS_msgget, 0, 01600) >= 0) return "msgget works";
    if (::syscall(SYS_mq_open, "attempt", O_CREAT | O_RDWR, 0600, nullptr) >= 0) return "mq_open works";
    return around.landlock ? writable_for_everybody() : "";
}

std::string network() {
    for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_UNIX})
        for (const int kind : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
            if (::socket(family, kind, 0) >= 0) return "a socket of family " + std::to_string(family) + " opens";
    return "";
}

std::string new_privileges() {
    return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "" : "a set-user-id program would give it some";
}

pid_t leave_a_daemon() {
    std::array<int, 2> way{};
    if (::pipe(way.data()) != 0) return 0;
    const pid_t parent_of_daemon = ::fork();
    if (parent_of_daemon == 0) {
        ::setsid();
        if (::fork() == 0) {
            const pid_t own = ::getpid();
            const bool told = ::write(way[1], &own, sizeof own) == sizeof own;
            for (const int signal : {SIGTERM, SIGHUP, SIGINT}) ::signal(signal, SIG_IGN);
            for (int descriptor = 0; descriptor < 32; ++descriptor) ::close(descriptor);
            if (told) ::sleep(60);
        }
        ::_exit(0);
    }
    ::close(way[1]);
    ::waitpid(parent_of_daemon, nullptr, 0);
    pid_t daemon = 0;
    if (::read(way[0], &daemon, sizeof daemon) != sizeof daemon) daemon = 0;
    ::close(way[0]);
    return daemon;
}

}  // namespace entry::among_others
