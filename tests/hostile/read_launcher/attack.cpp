#include <fcntl.h>
#include <unistd.h>
#include <cstring>

void attack() {
    for (const char* path : {"/proc/1/environ", "/proc/1/cmdline"}) {
        const int file = ::open(path, O_RDONLY);
        char text[4096] = {};
        const ssize_t size = file < 0 ? 0 : ::read(file, text, sizeof text);
        for (ssize_t i = 0; i + 5 < size; ++i)
            if (std::memcmp(text + i, "PATH=", 5) == 0 || std::memcmp(text + i, "@CO", 3) == 0 ||
                std::memcmp(text + i, "-bind", 5) == 0)
                succeeded(text + i);
    }
}
