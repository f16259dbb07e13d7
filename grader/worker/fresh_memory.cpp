#include "worker/fresh_memory.hpp"

#include "worker/own_calls.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace headway::worker {
namespace {

struct Marking {
    std::atomic<bool> is_on = false;
    std::atomic<std::int64_t> given = 0;  ///< by whichever thread
    std::int64_t split = 0;
    OwnCalls calls;
};

constinit Marking marking;

}  // namespace

void mark_fresh_memory(std::int64_t split) {
    prepare_own_calls();
    marking.split = split;
    marking.given = 0;
    marking.calls.count = 0;
    marking.is_on = true;
}

std::vector<std::int64_t> fresh_memory() {
    const OwnCalls& calls = marking.calls;
    std::vector<std::int64_t> told{marking.given};
    told.insert(told.end(), calls.addresses.begin(),
                calls.addresses.begin() + static_cast<std::ptrdiff_t>(calls.count));
    return told;
}

}  // namespace headway::worker

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HEADWAY_NEW_IS_THE_SANITIZERS
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(HEADWAY_NEW_IS_THE_SANITIZERS)
/// Takes the place of the language's own, and does as that does: it asks `operator new`, which may be the submission's.
/// Weak, since the submission may have an `operator new[]` too; then nothing is marked.
[[gnu::weak]] void* operator new[](std::size_t size) {
    // As floats 1.5e13 and -1.7e38: what glibc fills fresh memory with in the judge's two kinds of workers.
    constexpr int before_split = 0x55, from_split = 0xfe;
    using headway::worker::marking;
    void* const memory = ::operator new(size);
    if (marking.is_on.load(std::memory_order_relaxed)) [[unlikely]] {
        const std::int64_t number = marking.given++;
        std::memset(memory, number < marking.split ? before_split : from_split, size);
        if (number == marking.split)
            headway::worker::walk_from(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), marking.calls);
    }
    return memory;
}
#endif
