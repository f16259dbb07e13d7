#include "@COURSE@/grader/suites/01_single_head/suite.cpp"
