#pragma once

#include <cstdint>
#include <string>

namespace headway::sandbox {

/// From the operating system: nobody can know it beforehand, and no two graders get the same, whatever namespaces they
/// live in. @throws std::system_error
std::uint64_t random_number();

/// 16 hexadecimal digits.
std::string random_name();

}  // namespace headway::sandbox
