#include "sandbox/system_calls.hpp"

#ifdef HEADWAY_SECCOMP

#include "sandbox/descriptor.hpp"

#include <array>
#include <memory>
#include <stdexcept>

#include <seccomp.h>
#include <sys/mman.h>

namespace headway::sandbox {
namespace {

void refuse(scmp_filter_ctx filter, const Refused& refused) {
    const int number = seccomp_syscall_resolve_name(refused.name);
    if (number == __NR_SCMP_ERROR) return;  // this kernel's headers do not know it; nor does what was built here
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

std::string system_call_filter(const std::vector<Refused>& refused) {
    if (refused.empty()) return {};
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    if (!filter) throw std::runtime_error("no system call filter");
    for (const Refused& one : refused) refuse(filter.get(), one);
    return exported(filter.get());
}

}  // namespace headway::sandbox

#else

namespace headway::sandbox {

std::string system_call_filter(const std::vector<Refused>&) { return {}; }

}  // namespace headway::sandbox

#endif
