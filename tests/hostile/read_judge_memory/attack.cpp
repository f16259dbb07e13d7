#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

void attack() {
    std::error_code none;
    for (const auto& process : std::filesystem::directory_iterator("/proc", none)) {
        const int file = ::open((process.path() / "cmdline").c_str(), O_RDONLY);
        char name[256] = {};
        if (file >= 0 && ::read(file, name, sizeof name - 1) > 0 && std::strstr(name, "headway-judge") != nullptr)
            succeeded("the judge is there");
        if (file >= 0) ::close(file);
    }
}
