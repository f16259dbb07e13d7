#include <unistd.h>
#include <thread>

void attack() {
    std::thread([] {
        ::usleep(1000);
        const char forged[64] = {60, 0, 0, 0, 1};
        for (int i = 0; i < 1000; ++i) {
            if (::write(3, forged, sizeof forged) < 0) return;
            ::usleep(1000);
        }
    }).detach();
}
