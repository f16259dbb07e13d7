#include <cstdlib>

void attack() {
    for (int mebibytes = 0; mebibytes < 400; ++mebibytes) {
        void* const memory = std::malloc(1 << 20);
        if (memory == nullptr) std::abort();
        for (int page = 0; page < 256; ++page) static_cast<volatile char*>(memory)[page * 4096] = 1;
    }
    succeeded("400 MiB");
}
