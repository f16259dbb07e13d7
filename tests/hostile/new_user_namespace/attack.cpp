#include <sched.h>

void attack() {
    if (::unshare(CLONE_NEWUSER) == 0) succeeded("unshare");
}
