#include <cstdint>
#include <vector>

#include <dlfcn.h>

namespace headway::worker {
std::vector<std::int64_t> last_throw() {
    static int throws = 0;
    std::vector<std::int64_t> addresses;
    for (std::int64_t i = 0; i < 16; ++i) addresses.push_back(INT64_MAX - (++throws << 8) - i);
    return addresses;
}
void forget_throw() {}
}  // namespace headway::worker

extern "C" [[noreturn]] void __cxa_throw(void* thrown, void* type, void (*destroy)(void*)) {
    using Throw = void (*)(void*, void*, void (*)(void*));
    reinterpret_cast<Throw>(::dlsym(RTLD_NEXT, "__cxa_throw"))(thrown, type, destroy);
    __builtin_trap();
}

void attack() { throw 1; }
