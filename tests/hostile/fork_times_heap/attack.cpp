#include <cstdlib>
#include <cstring>
#include <unistd.h>

void attack() {
    for (int child = 0; child < 10; ++child)
        if (::fork() == 0) {
            void* const memory = std::malloc(60 << 20);
            std::memset(memory, child + 1, 60 << 20);
            for (;;) ::pause();
        }
    ::sleep(1);
    succeeded("600 MiB");
}
