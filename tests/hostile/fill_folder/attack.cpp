#include <fcntl.h>
#include <unistd.h>
#include <string>

void attack() {
    const std::string block(1 << 20, 'x');
    for (int file = 0, mebibytes = 0; file < 64; ++file) {
        const int out = ::open(("/tmp/" + std::to_string(file)).c_str(), O_WRONLY | O_CREAT, 0600);
        for (int i = 0; i < 4 && ::write(out, block.data(), block.size()) == 1 << 20; ++i)
            if (++mebibytes > 80) succeeded("80 MiB written");
    }
    for (int file = 0; file < 64; ++file) ::unlink(("/tmp/" + std::to_string(file)).c_str());
}
