#pragma once

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace landlock {

// From <linux/landlock.h>, of which many systems have an old one, or none.
constexpr long create_ruleset = 444;
constexpr long add_rule = 445;
constexpr long restrict_self = 446;
constexpr std::uint32_t ask_version = 1;
constexpr int beneath_path = 1;

constexpr std::uint64_t execute = 1U << 0U;
constexpr std::uint64_t write_file = 1U << 1U;
constexpr std::uint64_t read_file = 1U << 2U;
constexpr std::uint64_t read_folder = 1U << 3U;
constexpr std::uint64_t remove_folder = 1U << 4U;
constexpr std::uint64_t remove_file = 1U << 5U;
constexpr std::uint64_t make_folder = 1U << 7U;
constexpr std::uint64_t make_file = 1U << 8U;
constexpr std::uint64_t make_link = 1U << 12U;
constexpr std::uint64_t truncate = 1U << 14U;

constexpr std::uint64_t of_a_file = execute | write_file | read_file | truncate;
constexpr std::uint64_t to_read = execute | read_file | read_folder;
constexpr std::uint64_t to_work_in =
    write_file | read_file | read_folder | remove_folder | remove_file | make_folder | make_file | make_link | truncate;

struct Attributes {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scopes = 0;
};

/// 0: this kernel has no Landlock, or it is switched off on this machine.
inline int version() {
    const long answer = ::syscall(create_ruleset, nullptr, 0, ask_version);
    return answer > 0 ? static_cast<int>(answer) : 0;
}

/// From this version on a program cannot signal a process outside its own rules.
constexpr int scopes_signals = 6;

/// All that this kernel can forbid; what a later rule allows is let through.
inline Attributes everything(int version) {
    constexpr std::uint64_t first = (1U << 13U) - 1;
    Attributes all{.files = first};
    if (version >= 2) all.files |= 1U << 13U;  // moving between folders
    if (version >= 3) all.files |= truncate;
    if (version >= 4) all.network = 3;         // TCP: bind and connect
    if (version >= 5) all.files |= 1U << 15U;  // ioctl on devices
    if (version >= scopes_signals) all.scopes = 3;
    return all;
}

/// From here on this process and all that it will start can signal nobody but each other; and a process that takes more
/// rules upon itself cannot signal this one. @return false where the kernel cannot do that
inline bool signal_only_descendants() {
    if (version() < scopes_signals) return false;
    const Attributes signals{.scopes = 2};
    const int rules = static_cast<int>(::syscall(create_ruleset, &signals, sizeof signals, 0));
    const bool held = rules >= 0 && ::syscall(restrict_self, rules, 0) == 0;
    if (rules >= 0) ::close(rules);
    return held;
}

/// Rules that a process puts on itself, and on all that it will start.
class Rules {
public:
    Rules() {
        const int number = version();
        attributes_ = everything(number);
        const std::size_t known = number >= scopes_signals ? 24 : number >= 4 ? 16 : 8;
        rules_ = static_cast<int>(::syscall(create_ruleset, &attributes_, known, 0));
    }
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;
    ~Rules() { ::close(rules_); }

    /// What is not there needs no rule. @return whether that worked
    bool allow(const char* path, std::uint64_t rights) {
        const int place = ::open(path, O_PATH | O_CLOEXEC);
        if (place < 0) return errno == ENOENT;
        struct stat about {};
        ::fstat(place, &about);
        if (!S_ISDIR(about.st_mode)) rights &= of_a_file;
        struct [[gnu::packed]] {
            std::uint64_t rights;
            std::int32_t place;
        } const rule{rights & attributes_.files, place};
        const bool added = ::syscall(add_rule, rules_, beneath_path, &rule, 0) == 0;
        ::close(place);
        return added;
    }

    /// @return whether they hold from now on
    bool obey() const { return ::syscall(restrict_self, rules_, 0) == 0; }

private:
    Attributes attributes_;
    int rules_ = -1;
};

}  // namespace landlock
