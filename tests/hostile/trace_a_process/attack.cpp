#include <sys/ptrace.h>

void attack() {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) succeeded("ptrace");
}
