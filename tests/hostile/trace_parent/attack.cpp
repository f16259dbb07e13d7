#include <sys/ptrace.h>
#include <unistd.h>

void attack() {
    if (::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr) == 0) succeeded("attached");
}
