#include <sys/wait.h>
#include <unistd.h>

void attack() {
    if (::fork() == 0)
        for (volatile int i = 0;; i = i + 1) {
        }
    ::wait(nullptr);
}
