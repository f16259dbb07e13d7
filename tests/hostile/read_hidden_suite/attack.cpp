#include <fcntl.h>

void attack() {
    if (::open("@COURSE@/grader/suites/01_single_head/suite.cpp", O_RDONLY) >= 0)
        succeeded("@COURSE@/grader/suites/01_single_head/suite.cpp opens");
}
