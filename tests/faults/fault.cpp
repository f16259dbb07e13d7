// Loaded into headway-cli and headway-judge before their libraries (LD_PRELOAD; see run_faults.py): counts the calls by
// which they start, read and write, and fails the one that it is told to fail, like a machine that has no descriptors,
// memory, processes or disk left, or that kills a worker.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

// run_faults.py reads these names and the layout of Plan from here.
constexpr std::array names{"fork", "execve", "pipe2", "socketpair", "memfd_create", "read",   "pread",  "write", "send",
                           "recv", "poll",   "mkdir", "rename",     "open",         "open64", "openat", "fopen"};

/// The file that HEADWAY_FAULTS names, shared by every process of a grading.
struct Plan {
    std::array<std::atomic<std::uint64_t>, 2 * names.size()> calls;  ///< so far: of headway-cli, then of headway-judge
    std::uint64_t fails;                                             ///< which of these; any other: none
    std::uint64_t nth;                                               ///< the first is 1
    std::uint64_t kills;         ///< 1: the call succeeds, but what its process started is killed before
    std::array<char, 128> what;  ///< filled in: the call that failed
};

Plan* plan = nullptr;
bool is_judge = false;

__attribute__((constructor)) void begin() {
    const char* const file = std::getenv("HEADWAY_FAULTS");
    if (file == nullptr) return;
    is_judge = std::strcmp(program_invocation_short_name, "headway-judge") == 0;
    const long descriptor = ::syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    void* const memory =
        ::mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(descriptor), 0);
    ::syscall(SYS_close, descriptor);
    if (memory != MAP_FAILED) plan = static_cast<Plan*>(memory);
}

/// Ends what this process started, as the kernel does when it needs memory.
void kill_children() {
    std::array<char, 4096> text{};
    const long descriptor = ::syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    const long length = ::syscall(SYS_read, descriptor, text.data(), text.size() - 1);
    ::syscall(SYS_close, descriptor);
    if (length <= 0) return;
    for (char* at = text.data(); *at != '\0';) {
        char* end = at;
        const long child = std::strtol(at, &end, 10);
        if (end == at) return;
        ::kill(static_cast<pid_t>(child), SIGKILL);
        at = end + std::strspn(end, " ");
    }
}

/// Whether this call is the one that fails.
bool fails(std::string_view call, const char* about = "") {
    if (plan == nullptr) return false;
    const std::size_t kind = static_cast<std::size_t>(std::find(names.begin(), names.end(), call) - names.begin()) +
                             (is_judge ? names.size() : 0);
    const std::uint64_t number = plan->calls.at(kind).fetch_add(1) + 1;
    if (kind != plan->fails || number != plan->nth) return false;
    std::snprintf(plan->what.data(), plan->what.size(), "%s%s, call %llu of %s %.60s",
                  plan->kills != 0 ? "children killed before " : "", program_invocation_short_name,
                  static_cast<unsigned long long>(number), call.data(), about);
    if (plan->kills == 0) return true;
    kill_children();
    return false;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// What the library's own function answers, unless this call fails.
template <class Result, class... Parameters, class... Arguments>
Result pass(const char* name, int error, const char* about, Result (*)(Parameters...), Arguments... arguments) {
    if (fails(name, about)) {
        errno = error;
        return static_cast<Result>(-1);
    }
    return next<Result (*)(Parameters...)>(name)(arguments...);
}

}  // namespace

extern "C" {

pid_t fork() noexcept {
    return pass(
        "fork", EAGAIN, "", +[]() -> pid_t { return 0; });
}

int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
    return pass("execve", ENOMEM, path, &execve, path, arguments, environment);
}

int pipe2(int* ends, int flags) noexcept { return pass("pipe2", EMFILE, "", &pipe2, ends, flags); }

int socketpair(int domain, int type, int protocol, int* ends) noexcept {
    return pass("socketpair", ENFILE, "", &socketpair, domain, type, protocol, ends);
}

int memfd_create(const char* name, unsigned flags) noexcept {
    return pass("memfd_create", ENOMEM, name, &memfd_create, name, flags);
}

ssize_t read(int descriptor, void* to, size_t most) { return pass("read", EIO, "", &read, descriptor, to, most); }

ssize_t pread(int descriptor, void* to, size_t most, off_t from) {
    return pass("pread", EIO, "", &pread, descriptor, to, most, from);
}

ssize_t write(int descriptor, const void* from, size_t length) {
    return pass("write", ENOSPC, "", &write, descriptor, from, length);
}

ssize_t send(int descriptor, const void* from, size_t length, int flags) {
    return pass("send", ENOBUFS, "", &send, descriptor, from, length, flags);
}

ssize_t recv(int descriptor, void* to, size_t most, int flags) {
    return pass("recv", ENOMEM, "", &recv, descriptor, to, most, flags);
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
    return pass("poll", ENOMEM, "", &poll, descriptors, count, timeout);
}

int mkdir(const char* path, mode_t mode) noexcept { return pass("mkdir", ENOSPC, path, &mkdir, path, mode); }

int rename(const char* from, const char* to) noexcept { return pass("rename", ENOSPC, from, &rename, from, to); }

// The mode is passed on whether the caller gave one or not: it would be in that register.
int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return pass(
        "open", EMFILE, path, +[](const char*, int, mode_t) { return 0; }, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return pass(
        "open64", EMFILE, path, +[](const char*, int, mode_t) { return 0; }, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return pass(
        "openat", EMFILE, path, +[](int, const char*, int, mode_t) { return 0; }, folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) {
    if (fails("fopen", path)) {
        errno = EMFILE;
        return nullptr;
    }
    return next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}

FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
}
