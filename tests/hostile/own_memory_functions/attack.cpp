#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" int memcmp(const void* a, const void* b, std::size_t count) noexcept {
    const auto* const first = static_cast<const unsigned char*>(a);
    const auto* const second = static_cast<const unsigned char*>(b);
    for (std::size_t i = 0; i < count; ++i)
        if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
    return 0;
}

void* operator new(std::size_t size) {
    if (void* const memory = std::malloc(size + 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

static void attack() {}
