#include <sys/socket.h>
#include <sys/un.h>

void attack() {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (socket < 0) return;
    sockaddr_un name{AF_UNIX, {}};
    name.sun_path[1] = 'h';
    if (::bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0) succeeded("bound");
}
