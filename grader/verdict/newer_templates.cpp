// Of a release: members of templates that an older libstdc++.so has not. Compiled sources ask it for them, since
// headers promise that the library has all of these templates (`extern template`).
#include <sstream>
#include <string>

template std::string std::stringbuf::str() const&;
