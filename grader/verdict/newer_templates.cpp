// Of a release: members of templates that an older libstdc++.so has not. Compiled sources ask it for them, since
// headers promise that the library has all of these templates (`extern template`).
#include <sstream>
#include <string>

template std::string std::stringbuf::str() const&;
template std::stringbuf::basic_stringbuf(std::string&&, std::ios_base::openmode);
template std::string std::stringstream::str() const&;
template std::string std::ostringstream::str() const&;
template std::string std::istringstream::str() const&;
template std::istringstream::basic_istringstream(std::string&&, std::ios_base::openmode);
template std::stringstream::basic_stringstream(std::string&&, std::ios_base::openmode);
