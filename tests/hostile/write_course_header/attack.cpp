#include <fcntl.h>

void attack() {
    if (::open("@COURSE@/tensor/include/headway/tensor.hpp", O_WRONLY | O_CREAT, 0600) >= 0)
        succeeded("@COURSE@/tensor/include/headway/tensor.hpp can be written");
}
