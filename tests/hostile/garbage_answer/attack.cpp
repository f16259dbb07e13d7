#include <unistd.h>

void attack() {
    if (::write(3, "nonsense nonsense nonsense", 26) < 0) return;
}
