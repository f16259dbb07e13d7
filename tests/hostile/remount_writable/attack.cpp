#include <sys/mount.h>

void attack() {
    if (::mount(nullptr, "/usr/lib", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0) succeeded("remounted");
}
