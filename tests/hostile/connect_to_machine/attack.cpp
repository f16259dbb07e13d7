#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

void attack() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (socket < 0) return;
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(HOSTILE_PORT);
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&server), sizeof server) == 0) succeeded("connected");
}
