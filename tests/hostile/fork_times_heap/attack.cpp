#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

void attack() {
    int ends[2] = {};
    if (::pipe(ends) != 0) return;
    for (int child = 0; child < 10; ++child)
        if (::fork() == 0) {
            void* volatile memory =
                std::malloc(60 << 20);  // volatile: else nobody reads it, and the optimiser drops it
            std::memset(memory, child + 1, 60 << 20);
            if (::write(ends[1], "x", 1) < 0) ::_exit(1);
            for (;;) ::pause();
        }
    char byte = 0;
    for (int full = 0; full < 10; ++full)
        if (::read(ends[0], &byte, 1) != 1) return;
    if (::waitpid(-1, nullptr, WNOHANG) == 0) succeeded("600 MiB");
}
