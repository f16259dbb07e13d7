#include <unistd.h>

void attack() {
    const unsigned size = 0xffffffffU;
    if (::write(3, &size, sizeof size) < 0) return;
}
