#include <fcntl.h>

void attack() {
    if (::open("@JUDGE@", O_RDONLY) >= 0) succeeded("@JUDGE@ opens");
}
