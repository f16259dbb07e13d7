#include <fcntl.h>

void attack() {
    if (::open("@CANARY@", O_RDONLY) >= 0) succeeded("@CANARY@ opens");
}
