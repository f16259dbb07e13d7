// The first program in a jail: sets the limits that count only inside, gives up what rights are left, and becomes the
// program that is to be jailed. Small, static, and without anything that could be confused by its surroundings.
//
// Its instructions are NUL-terminated words under descriptor 7:
//     user=N nproc=N nofile=N as=BYTES fsize=BYTES cpu=SECONDS directory=PATH env=NAME=VALUE deliver=PATH pack=PATH
//     open=PATH first=yes alone=yes -- PROGRAM ...
// open: everybody may write to the folder PATH, which is the entry's.
// deliver: the file PATH is copied to descriptor 5 after the program has succeeded.
// pack: the folder PATH is made, and what the program has left in it is packed into descriptor 5, however the program
// ended; see parcel.hpp.
// alone: the kernel ends the program if it starts a process or becomes another program; see alone.hpp.
// first: it is process 1 of the jail, and stays that. The program is another, and cannot write to this one.
#include "sandbox/entry/alone.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// As in process.hpp; this program is built without the grader's headers.
constexpr int channel = 3;
constexpr int ready = 4;
constexpr int delivery = 5;
constexpr int instructions = 7;

/// Tells the grader why there is no program, and ends.
[[noreturn]] void give_up() {
    const int why = errno;
    if (::write(ready, &why, sizeof why) < 0) ::_exit(126);
    ::_exit(127);
}

std::string read_all(int descriptor) {
    std::string bytes;
    std::array<char, 4096> buffer;  // NOLINT(*-member-init): filled by read
    for (ssize_t got = 0; (got = ::read(descriptor, buffer.data(), buffer.size())) > 0;)
        bytes.append(buffer.data(), static_cast<std::size_t>(got));
    return bytes;
}

struct Instructions {
    std::string text;  // owns what the pointers below point to
    std::vector<char*> arguments;
    std::vector<char*> environment;
    std::vector<std::string_view> settings;
};

void split(Instructions& all) {
    bool program = false;
    for (std::size_t at = 0; at < all.text.size(); at += std::strlen(&all.text[at]) + 1) {
        char* word = &all.text[at];
        if (program)
            all.arguments.push_back(word);
        else if (std::strcmp(word, "--") == 0)
            program = true;
        else if (std::strncmp(word, "env=", 4) == 0)
            all.environment.push_back(word + 4);
        else
            all.settings.emplace_back(word);
    }
    all.arguments.push_back(nullptr);
    all.environment.push_back(nullptr);
}

/// The value of a setting; null if it is not there.
const char* setting(const Instructions& all, std::string_view name) {
    for (const std::string_view word : all.settings)
        if (word.size() > name.size() && word.substr(0, name.size()) == name && word[name.size()] == '=')
            return word.data() + name.size() + 1;
    return nullptr;
}

void limit(const Instructions& all, const char* name, __rlimit_resource resource) {
    const char* value = setting(all, name);
    if (value == nullptr) return;
    rlimit here{};  // who grades may have less
    if (::getrlimit(resource, &here) != 0) give_up();
    const rlim_t number = std::min<rlim_t>(std::strtoull(value, nullptr, 10), here.rlim_max);
    const rlimit both{number, number};
    if (::setrlimit(resource, &both) != 0) give_up();
}

/// From here on without rights, and without a way back to them.
void become_user(const char* value) {
    const auto user = static_cast<uid_t>(std::strtoul(value, nullptr, 10));
    if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)
        give_up();
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, 2> none{};
    if (::syscall(SYS_capset, &header, none.data()) != 0) give_up();
}

void close_at_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

void run(Instructions& all) {
    std::uint64_t password = 0;
    if (setting(all, "alone") != nullptr && !entry::stay_alone(password)) give_up();
    const int inside = 0;
    if (::write(ready, &inside, sizeof inside) < 0) ::_exit(126);
    ::syscall(SYS_execve, all.arguments.front(), all.arguments.data(), all.environment.data(), password);
    give_up();
}

bool hand_out(const void* bytes, std::size_t count) {
    const char* next = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t now = ::write(delivery, next, count);
        if (now <= 0) return false;
        next += now;
        count -= static_cast<std::size_t>(now);
    }
    return true;
}

/// A descriptor of a file that is one: the program may have left anything there. -1 if it is none.
int open_file(int folder, const char* path) {
    const int file = ::openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about {};
    return file >= 0 && ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? file : -1;
}

/// The file as it is, or in chunks that say how long they are: it may grow or shrink meanwhile.
enum class Form { whole, chunks };
bool hand_out_file(int file, Form form) {
    std::array<char, 1 << 16> buffer;  // NOLINT(*-member-init): filled by read
    for (ssize_t got = 0; (got = ::read(file, buffer.data(), buffer.size())) > 0;) {
        const auto count = static_cast<std::uint32_t>(got);
        if (form == Form::chunks && !hand_out(&count, sizeof count)) return false;
        if (!hand_out(buffer.data(), count)) return false;
    }
    const std::uint32_t end = 0;
    return form == Form::whole || hand_out(&end, sizeof end);
}

bool deliver(const char* path) {
    const int product = open_file(AT_FDCWD, path);
    return product >= 0 && hand_out_file(product, Form::whole);
}

/// The files that lie directly in the folder.
void pack(const char* path) {
    DIR* folder = ::opendir(path);
    while (const dirent* entry = folder != nullptr ? ::readdir(folder) : nullptr) {
        const int file = open_file(::dirfd(folder), entry->d_name);
        if (file < 0) continue;
        if (!hand_out(entry->d_name, std::strlen(entry->d_name) + 1) || !hand_out_file(file, Form::chunks)) return;
        ::close(file);
    }
}

/// It ends as the program does, and buries whom that leaves behind.
[[noreturn]] void run_and_hand_out(Instructions& all) {
    const char* product = setting(all, "deliver");
    const char* folder = setting(all, "pack");
    if (folder != nullptr && ::mkdir(folder, 0700) != 0 && errno != EEXIST) give_up();
    ::prctl(PR_SET_DUMPABLE, 0);  // the program must not write to the delivery, or to this, by way of /proc
    const pid_t child = ::fork();
    if (child < 0) give_up();
    if (child == 0) run(all);
    ::close(ready);  // the grader waits for the program to run, not for its end
    ::close(channel);
    int status = 0;
    for (pid_t gone = 0; gone != child && (gone >= 0 || errno == EINTR);) gone = ::waitpid(-1, &status, 0);
    if (folder != nullptr) pack(folder);
    if (WIFSIGNALED(status)) ::_exit(128 + WTERMSIG(status));
    if (product != nullptr && WEXITSTATUS(status) == 0 && !deliver(product)) ::_exit(126);
    ::_exit(WEXITSTATUS(status));
}

}  // namespace

int main() {
    Instructions all;
    all.text = read_all(instructions);
    split(all);
    for (int descriptor = ready; descriptor < 32; ++descriptor) close_at_exec(descriptor);
    if (const char* folder = setting(all, "open"); folder != nullptr && ::chmod(folder, 01777) != 0) give_up();
    if (const char* user = setting(all, "user")) become_user(user);
    limit(all, "nproc", RLIMIT_NPROC);
    limit(all, "nofile", RLIMIT_NOFILE);
    limit(all, "fsize", RLIMIT_FSIZE);
    limit(all, "cpu", RLIMIT_CPU);
    limit(all, "as", RLIMIT_AS);
    if (const char* directory = setting(all, "directory"); directory != nullptr && ::chdir(directory) != 0) give_up();
    if (setting(all, "deliver") != nullptr || setting(all, "pack") != nullptr || setting(all, "first") != nullptr)
        run_and_hand_out(all);
    run(all);
}
