#include "worker/throw_trace.hpp"

#include "worker/own_calls.hpp"

#include <cstdlib>

#include <dlfcn.h>

// Of AddressSanitizer, where the program has it: the frames that a throw leaves must not count as used any more.
extern "C" [[gnu::weak]] void __asan_handle_no_return();  // NOLINT(bugprone-reserved-identifier)

namespace headway::worker {
namespace {

thread_local constinit OwnCalls calls;

}  // namespace

std::vector<std::int64_t> last_throw() {
    return {calls.addresses.begin(), calls.addresses.begin() + static_cast<std::ptrdiff_t>(calls.count)};
}

void forget_throw() {
    prepare_own_calls();
    calls.count = 0;
}

}  // namespace headway::worker

/// Takes the place of the language's own: what a `throw` calls, here and in the shared libraries. When an exception is
/// caught, the calls that led to it are gone. Weak, since a program that is linked statically, as headway-attention is
/// in a release, has the language's own already; and that program's throws are nobody's to look at.
extern "C" [[noreturn, gnu::weak]] void __cxa_throw(  // NOLINT(bugprone-reserved-identifier)
    void* thrown, void* type, void (*destroy)(void*)) {
    using Throw = void (*)(void*, void*, void (*)(void*));
    static const auto really_throw = reinterpret_cast<Throw>(::dlsym(RTLD_NEXT, "__cxa_throw"));
    headway::worker::walk_from(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), headway::worker::calls);
    if (__asan_handle_no_return != nullptr) __asan_handle_no_return();
    really_throw(thrown, type, destroy);
    std::abort();
}
