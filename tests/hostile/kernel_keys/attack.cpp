#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    if (::syscall(SYS_add_key, "user", "letter", "text", 4, -3) >= 0) succeeded("add_key");
}
