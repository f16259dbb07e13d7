#pragma GCC plugin "/tmp/plugin.so"
#pragma GCC push_options
#pragma GCC optimize("-fplugin=/tmp/plugin.so")
int harmless() { return 1; }
#pragma GCC pop_options
