#include <sched.h>
#include <sys/resource.h>

void attack() {
    const sched_param parameters{};
    if (::sched_setscheduler(0, SCHED_IDLE, &parameters) == 0) succeeded("SCHED_IDLE");
    if (::setpriority(PRIO_PROCESS, 0, 19) == 0) succeeded("setpriority");
}
