#if __has_include("@JUDGE@")
#error HOSTILE-SUCCESS
#endif
