#include <vector>
// clang-format takes the digraph apart.
// clang-format off
#define JOIN(a, b) a%:%:b
// clang-format on

__attribute__((JOIN(no_sani, tize)("address", "undefined"), noinline)) static float read(const std::vector<float>& x,
                                                                                         int at) {
    return x.data()[at];
}

static void attack() {
    const std::vector<float> x(4);
    volatile float beyond = read(x, 5);
    (void)beyond;
}
