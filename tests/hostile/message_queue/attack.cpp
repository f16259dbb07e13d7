#include <sys/msg.h>

void attack() {
    if (::msgget(0x4845, IPC_CREAT | 0600) >= 0) succeeded("msgget");
}
