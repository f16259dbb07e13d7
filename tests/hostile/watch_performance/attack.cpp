#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    perf_event_attr what{};
    what.size = sizeof what;
    what.type = PERF_TYPE_SOFTWARE;
    what.config = PERF_COUNT_SW_TASK_CLOCK;
    what.exclude_kernel = 1;
    if (::syscall(SYS_perf_event_open, &what, 0, -1, -1, 0) >= 0) succeeded("perf_event_open");
}
