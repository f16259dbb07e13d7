#include <vector>

__attribute__((no_sanitize("address", "undefined"), noinline)) static float read(const std::vector<float>& x, int at) {
    return x.data()[at];
}

static void attack() {
    const std::vector<float> x(4);
    volatile float beyond = read(x, 5);
    (void)beyond;
}
