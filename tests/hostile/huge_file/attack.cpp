#include <fcntl.h>
#include <unistd.h>
#include <csignal>

void attack() {
    std::signal(SIGXFSZ, SIG_IGN);
    const int file = ::open("/tmp/huge", O_WRONLY | O_CREAT, 0600);
    if (::ftruncate(file, 1LL << 40) == 0) succeeded("made");
}
