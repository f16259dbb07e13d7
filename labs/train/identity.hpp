#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace headway::lab {

/// A short name for some bytes, to tell one training from another: nobody has an interest in a collision.   [FNV-1a]
inline std::string identity_of(std::string_view bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return fmt::format("{:016x}", hash);
}

}  // namespace headway::lab
