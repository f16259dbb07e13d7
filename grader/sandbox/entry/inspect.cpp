// Tries, from within a jail, what a submission could try, and prints for each protection whether it held:
//     name<TAB>ok    or    name<TAB>what was possible
// Arguments: bytes of the folder, most processes, user of the grader, a secret path; then namespaces of the grader,
// such as net:[4026531840], or, in the weaker jail, "grader=PID", "landlock=yes", and what is closed to it:
// "closed=PATH", or to be kept as it is: "kept=PATH". There a process stays behind on purpose; "survivor<TAB>PID" says
// which.
#include "sandbox/entry/among_others.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fscrypt.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// @param possible  what the attack achieved; empty: nothing
void tell(const char* protection, const std::string& possible) {
    std::printf("%s\t%s\n", protection, possible.empty() ? "ok" : possible.c_str());
}

bool opens(const char* path, int flags) {
    const int descriptor = ::open(path, flags | O_CLOEXEC, 0600);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

std::string host_files() {
    for (const char* path : {"/etc/passwd", "/home", "/root", "/etc/shadow", "/var"})
        if (::access(path, F_OK) == 0) return std::string(path) + " is there";
    return "";
}

std::string writable_files() {
    for (const char* path : {"/attempt", "/usr/lib/attempt", "/usr/attempt"})
        if (opens(path, O_WRONLY | O_CREAT)) return std::string(path) + " could be written";
    if (opens("/enter", O_WRONLY)) return "/enter could be written";
    struct statvfs root {};
    if (::statvfs("/", &root) != 0 || (root.f_flag & ST_RDONLY) == 0) return "the root folder is not read-only";
    return "";
}

std::string large_folder(unsigned long long bytes) {
    struct statvfs folder {};
    if (::statvfs("/tmp", &folder) != 0) return "/tmp is not there";
    if ((folder.f_flag & ST_RDONLY) != 0) return "";
    const auto size = static_cast<unsigned long long>(folder.f_blocks) * folder.f_frsize;
    return size <= bytes + 65536 ? "" : "/tmp holds " + std::to_string(size >> 20U) + " MiB";
}

std::string limit_of(__rlimit_resource resource, unsigned long long most) {
    rlimit limit{};
    ::getrlimit(resource, &limit);
    return limit.rlim_max <= most ? "" : "the limit is " + std::to_string(limit.rlim_max);
}

/// Any limit but 1 lets a crash start what core_pattern names.
std::string core_dumps() {
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_cur != 1) return "the limit on core files is " + std::to_string(limit.rlim_cur) + " and not 1";
    const rlimit none{0, 1};
    ::setrlimit(RLIMIT_CORE, &none);
    ::syscall(SYS_prlimit64, ::getpid(), RLIMIT_CORE, &none, nullptr);
#ifdef SYS_setrlimit
    ::syscall(SYS_setrlimit, RLIMIT_CORE, &none);
#endif
    ::getrlimit(RLIMIT_CORE, &limit);
    return limit.rlim_cur == 1 ? "" : "the limit on core files can be changed";
}

/// A namespace that the grader has too. @param theirs  "net:[4026531840]"
std::string shared_namespace(const std::string& theirs) {
    const std::string link = "/proc/self/ns/" + theirs.substr(0, theirs.find(':'));
    std::array<char, 64> target{};
    if (::readlink(link.c_str(), target.data(), target.size() - 1) < 0) return link + " cannot be read";
    return theirs == target.data() ? "it is the grader's own" : "";
}

std::string sockets() {
    for (const int family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_VSOCK})
        if (::socket(family, SOCK_STREAM, 0) >= 0 || ::socket(family, SOCK_DGRAM, 0) >= 0)
            return "a socket of family " + std::to_string(family) + " opens";
    return "";
}

std::string privileges(unsigned long grader) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> held{};
    ::syscall(SYS_capget, &header, held.data());
    for (const auto& word : held)
        if ((word.effective | word.permitted) != 0) return "it has capabilities";
    if (grader == 0 && ::getuid() == 0) return "it is root";
    return ::setuid(0) == 0 ? "it can become root" : "";
}

std::string tracing() {
    std::array<char, 1> byte{};
    const iovec here{byte.data(), 1};
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) return "ptrace works";
    return ::syscall(SYS_process_vm_readv, ::getpid(), &here, 1, &here, 1, 0) >= 0 ? "process_vm_readv works" : "";
}

std::string hidden_memory() {
    if (::syscall(SYS_memfd_create, "attempt", 0) >= 0) return "memfd_create works";
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) == 0 && ::fcntl(pipe[1], F_SETPIPE_SZ, 1 << 20) > 0) return "a pipe holds 1 MiB";
    // Of no file: the kernel itself would say so.
    constexpr long setxattrat = 463;
    if (::syscall(SYS_fsetxattr, -1, "user.attempt", "1", 1, 0) < 0 && errno != EPERM)
        return "files can be given attributes";
    if (::syscall(setxattrat, -1, "", 0, "user.attempt", nullptr, 0) >= 0 || (errno != EPERM && errno != ENOSYS))
        return "files can be given attributes by setxattrat";
    return ::syscall(SYS_shmget, 0, 4096, 01600) >= 0 ? "shmget works" : "";
}

/// By numbers, which are the same on all architectures: neither what made the filter nor what built this need know
/// their names. With these arguments the kernel itself would have something else to say.
std::string young_doors() {
    constexpr long statmount = 457, listmount = 458, open_tree_attr = 467, younger_than_any_we_know = 470;
    for (const long door : {statmount, listmount, open_tree_attr, younger_than_any_we_know})
        if (::syscall(door, -1, nullptr, 0, nullptr, 0) >= 0 || (errno != EPERM && errno != ENOSYS))
            return "system call " + std::to_string(door) + " is answered";
    return "";
}

std::string kernel_doors() {
    if (::syscall(SYS_bpf, 99, nullptr, 0) < 0 && errno != EPERM) return "bpf is answered";
    if (::syscall(SYS_keyctl, 0, 0, 0) < 0 && errno != EPERM) return "keyctl is answered";
    if (::syscall(SYS_io_uring_setup, 1, nullptr) < 0 && errno != EPERM) return "io_uring is answered";
    if (::syscall(SYS_io_setup, 1, nullptr) < 0 && errno != EPERM) return "io_setup is answered";
    if (::ioctl(STDIN_FILENO, FS_IOC_REMOVE_ENCRYPTION_KEY, nullptr) < 0 && errno != EPERM)
        return "keys of encrypted folders can be removed";
    if (::syscall(SYS_syncfs, -1) < 0 && errno != EPERM) return "syncfs is answered";
    return young_doors();
}

/// Letters to another jail that sees the same library; and news of who opens it.
std::string locks() {
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    if (::flock(STDIN_FILENO, LOCK_SH) == 0) return "flock works";
    for (const long lock : {long{F_SETLK}, long{F_OFD_SETLK}, long{F_OFD_SETLK} + (long{1} << 32)})
        if (::syscall(SYS_fcntl, STDIN_FILENO, lock, &whole) == 0) return "a record can be locked";
    return ::syscall(SYS_inotify_init1, 0) >= 0 ? "inotify works" : "";
}

std::string descriptors() {
    for (int descriptor = 3; descriptor < 1024; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) >= 0) return "descriptor " + std::to_string(descriptor) + " is open";
    return "";
}

/// In a jail that bubblewrap has made: nothing of the machine is there.
void try_alone(unsigned long long folder, const char* secret, char** namespaces, char** end) {
    tell("no_host_files", host_files());
    tell("no_hidden_suites", ::access(secret, F_OK) == 0 ? "they are there" : "");
    tell("read_only_files", writable_files());
    tell("bounded_folder", large_folder(folder));
    for (; namespaces != end; ++namespaces) {
        const std::string theirs = *namespaces;
        if (theirs.starts_with("net")) tell("no_network", shared_namespace(theirs));
        if (theirs.starts_with("pid"))
            tell("own_processes",
                 opens("/proc/1/mem", O_RDWR) ? "process 1 can be written to" : shared_namespace(theirs));
        if (theirs.starts_with("ipc")) tell("own_letter_boxes", shared_namespace(theirs) + locks());
    }
}

/// In the weaker jail: all is there, and has to be shut.
void try_among_others(char** words, char** end) {
    namespace tries = entry::among_others;
    tries::Surroundings around;
    around.closed.emplace_back(*words);
    for (++words; words != end; ++words) {
        const std::string word = *words;
        if (word.starts_with("grader=")) around.grader = std::atoi(*words + 7);
        if (word == "landlock=yes") around.landlock = true;
        if (word.starts_with("closed=")) around.closed.push_back(word.substr(7));
        if (word.starts_with("kept=")) around.kept.push_back(word.substr(5));
    }
    tell("no_host_files", tries::host_files(around));
    tell("no_hidden_suites", tries::closed_files(around));
    tell("read_only_files", tries::writable_files(around));
    tell("bounded_folder", tries::large_folder(around));
    tell("own_processes", tries::other_processes(around));
    tell("own_letter_boxes", tries::letter_boxes(around) + locks());
    tell("no_network", tries::network());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return EXIT_FAILURE;
    const bool among_others = argc > 5 && std::strncmp(argv[5], "grader=", 7) == 0;
    // First: where tracing works, a child's end would stop us later.
    if (among_others) std::printf("survivor\t%d\n", entry::among_others::leave_a_daemon());
    tell("closed_descriptors", descriptors());
    tell("empty_environment", environ == nullptr || *environ == nullptr ? "" : *environ);
    tell("bounded_processes", limit_of(RLIMIT_NPROC, std::strtoull(argv[2], nullptr, 10)));
    tell("bounded_files", limit_of(RLIMIT_FSIZE, RLIM_INFINITY - 1) + limit_of(RLIMIT_NOFILE, 1024));
    tell("bounded_addresses", limit_of(RLIMIT_AS, RLIM_INFINITY - 1));
    tell("bounded_time", limit_of(RLIMIT_CPU, RLIM_INFINITY - 1));
    tell("no_core_dumps", core_dumps());
    tell("no_tracing", tracing());
    tell("no_hidden_memory", hidden_memory());
    tell("no_privileges",
         privileges(std::strtoul(argv[3], nullptr, 10)) + (among_others ? entry::among_others::new_privileges() : ""));
    tell("no_new_namespaces", ::unshare(CLONE_NEWUSER) == 0 ? "unshare works" : "");
    tell("no_kernel_doors", kernel_doors());
    tell("no_sockets", sockets());
    if (among_others)
        try_among_others(argv + 4, argv + argc);
    else
        try_alone(std::strtoull(argv[1], nullptr, 10), argv[4], argv + 5, argv + argc);
    return EXIT_SUCCESS;
}
