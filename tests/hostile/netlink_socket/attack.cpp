#include <sys/socket.h>

void attack() {
    if (::socket(AF_NETLINK, SOCK_RAW, 0) >= 0) succeeded("opened");
}
