#include <fcntl.h>

void attack() {
    if (::open("/left_behind", O_WRONLY | O_CREAT, 0600) >= 0) succeeded("/left_behind can be written");
}
