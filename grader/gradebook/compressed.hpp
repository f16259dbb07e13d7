#pragma once

#include <string>
#include <string_view>

namespace headway::gradebook {

/// zlib: a verdict is mostly the same words again and again.
std::string compressed(std::string_view text);

/// @throws std::runtime_error if these are not the bytes of compressed(), or more than 64 MiB
std::string decompressed(std::string_view bytes);

}  // namespace headway::gradebook
