#include <unistd.h>

void attack() {
    for (;;) ::sleep(1000);
}
