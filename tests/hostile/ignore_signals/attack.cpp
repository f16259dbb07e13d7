#include <csignal>

void attack() {
    for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
    for (volatile int i = 0;; i = i + 1) {
    }
}
