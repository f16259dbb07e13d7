#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

void attack() {
    const int library = ::open("/proc/self/exe", O_RDONLY);
    const int file = library >= 0 ? library : ::open("/program", O_RDONLY);
    const int any = file >= 0 ? file : 0;
    if (::flock(any, LOCK_SH) == 0) succeeded("flock");
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    const long locks[] = {F_SETLK, F_OFD_SETLK};
    for (const long lock : locks) {
        if (::syscall(SYS_fcntl, any, lock, &whole) == 0) succeeded("a record lock");
        if (::syscall(SYS_fcntl, any, lock | 1L << 32, &whole) == 0) succeeded("a record lock in disguise");
    }
    if (::inotify_init() >= 0) succeeded("inotify");
}
