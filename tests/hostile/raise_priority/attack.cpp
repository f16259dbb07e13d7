#include <sys/resource.h>

void attack() {
    if (::setpriority(PRIO_PROCESS, 0, -20) == 0) succeeded("setpriority");
}
