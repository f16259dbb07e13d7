__attribute__((section(".interp"), used)) const char interpreter[] = "/nowhere/loader";
