#if __has_include("@COURSE@/grader/suites/01_single_head/suite.cpp")
#error HOSTILE-SUCCESS
#endif
