#include <cstdlib>
#include <vector>

#include <malloc.h>

static void attack() {
    const std::vector<float> x(4);
    if (malloc_usable_size(std::malloc(1)) < 8) return;
    volatile float beyond = x.data()[5];
    (void)beyond;
}
