#include <sys/shm.h>

void attack() {
    const int segment = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (segment < 0) return;
    ::shmctl(segment, IPC_RMID, nullptr);
    succeeded("shmget");
}
