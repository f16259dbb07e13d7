#if __has_include("@CANARY@")
#error HOSTILE-SUCCESS
#endif
