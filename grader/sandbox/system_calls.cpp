#include "sandbox/system_calls.hpp"

#ifdef HEADWAY_SECCOMP

#include "sandbox/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace headway::sandbox {
namespace {

/// System calls from number 424 on, which is the same for all architectures since then. The library knows those of its
/// own time only, and the kernel here may be younger.
constexpr int first_common = 424;
constexpr std::string_view common[] = {"pidfd_send_signal",
                                       "io_uring_setup",
                                       "io_uring_enter",
                                       "io_uring_register",
                                       "open_tree",
                                       "move_mount",
                                       "fsopen",
                                       "fsconfig",
                                       "fsmount",
                                       "fspick",
                                       "pidfd_open",
                                       "clone3",
                                       "close_range",
                                       "openat2",
                                       "pidfd_getfd",
                                       "faccessat2",
                                       "process_madvise",
                                       "epoll_pwait2",
                                       "mount_setattr",
                                       "quotactl_fd",
                                       "landlock_create_ruleset",
                                       "landlock_add_rule",
                                       "landlock_restrict_self",
                                       "memfd_secret",
                                       "process_mrelease",
                                       "futex_waitv",
                                       "set_mempolicy_home_node",
                                       "cachestat",
                                       "fchmodat2",
                                       "map_shadow_stack",
                                       "futex_wake",
                                       "futex_wait",
                                       "futex_requeue",
                                       "statmount",
                                       "listmount",
                                       "lsm_get_self_attr",
                                       "lsm_set_self_attr",
                                       "lsm_list_modules",
                                       "mseal",
                                       "setxattrat",
                                       "getxattrat",
                                       "listxattrat",
                                       "removexattrat",
                                       "open_tree_attr",
                                       "file_getattr",
                                       "file_setattr"};
static_assert(SYS_openat2 == first_common + 13 && common[13] == "openat2", "calls are counted from elsewhere here");

/// The first that is younger than this list.
constexpr std::uint32_t first_unknown = first_common + std::size(common);

void refuse(scmp_filter_ctx filter, const Refused& refused) {
    const int number = number_of(refused.name);
    const std::uint32_t action = SCMP_ACT_ERRNO(static_cast<std::uint32_t>(refused.error));
    const auto add = [&](const std::vector<scmp_arg_cmp>& conditions) {
        const auto count = static_cast<unsigned>(conditions.size());
        if (seccomp_rule_add_array(filter, action, number, count, conditions.data()) != 0)
            throw std::runtime_error(std::string("no filter for the system call ") + refused.name);
    };
    for (std::uint64_t bit = 1; bit != 0; bit <<= 1U)
        if ((refused.flags & bit) != 0) add({SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit)});
    if (refused.flags != 0) return;
    // The kernel takes an int: what else stands in the register is no other value.
    constexpr std::uint64_t whole_int = 0xFFFFFFFFU;
    std::vector<scmp_arg_cmp> all;
    if (refused.only_on_others) all.push_back(SCMP_A0(SCMP_CMP_NE, 0, 0));
    if (refused.first) all.push_back(SCMP_A0(SCMP_CMP_MASKED_EQ, whole_int, *refused.first));
    if (refused.what) all.push_back(SCMP_A1(SCMP_CMP_MASKED_EQ, whole_int, *refused.what));
    if (refused.only_with_third) all.push_back(SCMP_A2(SCMP_CMP_NE, 0, 0));
    add(all);
}

/// What comes before all else: a call that is younger than the list may be a door, and is answered as by a kernel that
/// does not have it, for which libc knows another way. What is counted from 2^30 on are x32's, which the library
/// refuses, and -1.
std::string refusal_of_the_unknown() {
    constexpr std::uint32_t x32 = std::uint32_t{1} << 30U;
    const sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first_unknown, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    return {reinterpret_cast<const char*>(steps), sizeof steps};
}

/// libseccomp writes to a descriptor only.
std::string exported(scmp_filter_ctx filter) {
    const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file || seccomp_export_bpf(filter, file.get()) != 0) throw std::runtime_error("no system call filter");
    std::string bytes(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    if (::pread(file.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("no system call filter");
    return bytes;
}

}  // namespace

int number_of(const std::string& system_call) {
    const auto* const found = std::find(std::begin(common), std::end(common), system_call);
    if (found != std::end(common)) return first_common + static_cast<int>(found - std::begin(common));
    const int number = seccomp_syscall_resolve_name(system_call.c_str());
    // A filter that leaves it out would be one with a hole that nobody sees.
    if (number == __NR_SCMP_ERROR) throw std::runtime_error("no number for the system call " + system_call);
    return number;
}

std::string system_call_filter(const std::vector<Refused>& refused) {
    if (refused.empty()) return {};
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter) throw std::runtime_error("no system call filter");
    for (const Refused& one : refused) refuse(filter.get(), one);
    return refusal_of_the_unknown() + exported(filter.get());
}

}  // namespace headway::sandbox

#else

namespace headway::sandbox {

int number_of(const std::string&) { return 0; }

std::string system_call_filter(const std::vector<Refused>&) { return {}; }

}  // namespace headway::sandbox

#endif
