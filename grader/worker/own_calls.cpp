#include "worker/own_calls.hpp"

#include <link.h>
#include <unwind.h>

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

constinit Code own_code;

/// Begins at the call that returns to `from`; where that is 0, at what a signal interrupted.
struct Walk {
    std::uintptr_t from;
    OwnCalls& calls;
    bool has_begun = false;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* into) {
    Walk& walk = *static_cast<Walk*>(into);
    int is_exact = 0;  // of what a signal interrupted: the instruction itself, no return address
    const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
    walk.has_begun |= walk.from == 0 ? is_exact != 0 : address == walk.from;
    // A call's return address may already belong to the next line.
    const std::uintptr_t within = is_exact != 0 ? address : address - 1;
    OwnCalls& calls = walk.calls;
    if (walk.has_begun && within >= own_code.begin && within < own_code.end)
        calls.addresses[calls.count++] = static_cast<std::int64_t>(within - own_code.moved_by);
    return calls.count < calls.addresses.size() ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void prepare_own_calls() {
    if (own_code.end == 0) ::dl_iterate_phdr(find_code, &own_code);
}

void walk_from(std::uintptr_t address, OwnCalls& calls) {
    calls.count = 0;
    Walk walk{address, calls};
    ::_Unwind_Backtrace(add_frame, &walk);
}

void walk_from_interruption(OwnCalls& calls) { walk_from(0, calls); }

}  // namespace headway::worker
