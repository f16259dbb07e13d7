__asm__(
    ".print \"attack.cpp:1: warning: testing::Test::a(\"\n.rept 32\n.print \"attack.cpp:1: warning:   @REPEATED 1900 "
    "x@\"\n.endr");
