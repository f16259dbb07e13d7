#include <cstdio>

int deeper(volatile int depth) {
    volatile char room[4096] = {};
    return depth == 0 ? room[1] : deeper(depth + 1) + room[0];
}

void attack() { std::printf("%d", deeper(1)); }
