#include <cstdlib>

void attack() {
    ::setenv("GTEST_FILTER", "-*", 1);
    ::setenv("GTEST_OUTPUT", "xml:/tmp/x.xml", 1);
    std::abort();
}
