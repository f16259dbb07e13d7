#include <unistd.h>

void attack() {
    if (::chroot("/tmp") == 0) succeeded("chroot");
}
