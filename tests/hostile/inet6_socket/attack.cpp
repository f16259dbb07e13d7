#include <sys/socket.h>

void attack() {
    if (::socket(AF_INET6, SOCK_STREAM, 0) >= 0) succeeded("opened");
}
