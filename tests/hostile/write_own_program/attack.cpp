#include <fcntl.h>

void attack() {
    if (::open("/program", O_WRONLY | O_CREAT, 0600) >= 0) succeeded("/program can be written");
}
