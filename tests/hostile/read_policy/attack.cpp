#include <fcntl.h>

void attack() {
    if (::open("@COURSE@/policy.toml", O_RDONLY) >= 0) succeeded("@COURSE@/policy.toml opens");
}
