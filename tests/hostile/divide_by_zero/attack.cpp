#include <cstdio>

void attack() {
    volatile int zero = 0;
    std::printf("%d", 1 / zero);
}
