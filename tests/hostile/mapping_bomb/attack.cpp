#include <sys/mman.h>
#include <cstdlib>

void attack() {
    for (int mebibytes = 0; mebibytes < 400; ++mebibytes) {
        void* const memory = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        for (int page = 0; page < 256; ++page) static_cast<volatile char*>(memory)[page * 4096] = 1;
    }
    succeeded("400 MiB");
}
