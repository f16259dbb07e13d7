#include <unistd.h>
#include <thread>

void attack() {
    std::thread([] {
        char byte = 0;
        while (::read(3, &byte, 1) == 1) {
        }
    }).detach();
}
