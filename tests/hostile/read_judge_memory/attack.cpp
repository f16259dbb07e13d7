#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

void attack() {
    for (int process = 3; process < 400000; ++process) {
        const std::string path = "/proc/" + std::to_string(process) + "/cmdline";
        const int file = process == ::getpid() ? -1 : ::open(path.c_str(), O_RDONLY);
        char name[256] = {};
        if (file >= 0 && ::read(file, name, sizeof name - 1) > 0 && std::strstr(name, "headway-judge") != nullptr)
            succeeded("the judge is there");
        if (file >= 0) ::close(file);
    }
}
