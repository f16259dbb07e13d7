// What prelude.hpp says is compiled elsewhere.

#include <cstddef>
#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<float>;
template class std::vector<std::ptrdiff_t>;
