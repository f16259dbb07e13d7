#include "worker/throw_trace.hpp"

#include "wire/message.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

// Of AddressSanitizer, where the program has it: the frames that a throw leaves must not count as used any more.
extern "C" [[gnu::weak]] void __asan_handle_no_return();  // NOLINT(bugprone-reserved-identifier)

namespace headway::worker {
namespace {

/// The program's own code, without shared libraries.
struct Code {
    std::uintptr_t moved_by = 0;  ///< from where the program's file has it
    std::uintptr_t begin = 0, end = 0;
};

int find_code(dl_phdr_info* info, std::size_t /*size*/, void* result) {
    auto& code = *static_cast<Code*>(result);
    code.moved_by = info->dlpi_addr;
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        code.begin = info->dlpi_addr + segment.p_vaddr;
        code.end = code.begin + segment.p_memsz;
    }
    return 1;  // no more: the program itself is told first
}

const Code& own_code() {
    static const Code found = [] {
        Code code;
        ::dl_iterate_phdr(find_code, &code);
        return code;
    }();
    return found;
}

struct Trace {
    std::uintptr_t thrown_from = 0;  ///< where __cxa_throw would return to, if it did
    bool is_at_throw = false;        ///< what is further inside is our own note-taking
    std::size_t count = 0;
    std::array<std::uintptr_t, wire::most_frames> addresses{};
};

thread_local constinit Trace trace;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* /*unused*/) {
    int is_exact = 0;
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
    trace.is_at_throw |= address == trace.thrown_from;
    // A call's return address may already belong to the next line.
    const std::uintptr_t within = is_exact != 0 ? address : address - 1;
    const Code& code = own_code();
    if (trace.is_at_throw && within >= code.begin && within < code.end)
        trace.addresses[trace.count++] = within - code.moved_by;
    return trace.count < trace.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

std::vector<std::int64_t> last_throw() {
    return {trace.addresses.begin(), trace.addresses.begin() + static_cast<std::ptrdiff_t>(trace.count)};
}

void forget_throw() {
    own_code();  // found out before it is needed
    trace.count = 0;
}

}  // namespace headway::worker

/// Takes the place of the language's own: what a `throw` calls, here and in the shared libraries. When an exception is
/// caught, the calls that led to it are gone. Weak, since a program that is linked statically, as headway-attention is
/// in a release, has the language's own already; and that program's throws are nobody's to look at.
extern "C" [[noreturn, gnu::weak]] void __cxa_throw(  // NOLINT(bugprone-reserved-identifier)
    void* thrown, void* type, void (*destroy)(void*)) {
    using headway::worker::trace;
    using Throw = void (*)(void*, void*, void (*)(void*));
    static const auto really_throw = reinterpret_cast<Throw>(::dlsym(RTLD_NEXT, "__cxa_throw"));
    trace.thrown_from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    trace.is_at_throw = false;
    trace.count = 0;
    ::_Unwind_Backtrace(headway::worker::add_frame, nullptr);
    if (__asan_handle_no_return != nullptr) __asan_handle_no_return();
    really_throw(thrown, type, destroy);
    std::abort();
}
