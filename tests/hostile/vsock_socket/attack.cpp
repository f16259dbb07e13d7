#include <sys/socket.h>

void attack() {
    if (::socket(AF_VSOCK, SOCK_STREAM, 0) >= 0) succeeded("opened");
}
