#include <csetjmp>
#include <csignal>

static sigjmp_buf way_out;

void attack() {
    if (sigsetjmp(way_out, 1) != 0) return;
    for (int number = 1; number < 65; ++number) std::signal(number, [](int) { siglongjmp(way_out, 1); });
    for (volatile int i = 0;; i = i + 1) {
    }
}
