#include "sandbox/chance.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <sys/random.h>

namespace headway::sandbox {

std::uint64_t random_number() {
    std::uint64_t number = 0;
    while (::getrandom(&number, sizeof number, 0) != sizeof number)
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
    return number;
}

std::string random_name() {
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(random_number()));
    return digits.data();
}

}  // namespace headway::sandbox
