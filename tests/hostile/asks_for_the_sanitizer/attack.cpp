#include <vector>

static void attack() {
    const std::vector<float> x(4);
#ifndef __SANITIZE_ADDRESS__
    volatile float beyond = x.data()[5];
    (void)beyond;
#endif
}
