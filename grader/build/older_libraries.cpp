// What the student's edition has compiled was compiled by g++ 12. Names that its headers brought, and that the
// libraries of an older machine lack, are defined here, by that machine's own compiler: libstdc++'s before 11, glibc's
// before 2.32.

#include <new>

#if defined(__GLIBCXX__) && _GLIBCXX_RELEASE < 11
namespace std {
void __throw_bad_array_new_length();  // NOLINT(bugprone-reserved-identifier)
void __throw_bad_array_new_length() { throw std::bad_array_new_length(); }
}  // namespace std
#endif

#if defined(__linux__) && !__has_include(<sys/single_threaded.h>)
// Never: so nothing is left out that several threads need.
extern "C" char __libc_single_threaded;  // NOLINT(bugprone-reserved-identifier)
extern "C" {
char __libc_single_threaded = 0;
}
#endif
