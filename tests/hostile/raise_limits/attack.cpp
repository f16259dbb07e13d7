#include <sys/resource.h>

void attack() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_max += 1000;
    if (::setrlimit(RLIMIT_NPROC, &limit) == 0) succeeded("setrlimit");
}
