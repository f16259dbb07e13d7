#include "gradebook/compressed.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <zlib.h>

namespace headway::gradebook {
namespace {

constexpr std::uint64_t most_bytes = 64U << 20U;

}  // namespace

std::string compressed(std::string_view text) {
    const std::uint64_t size = text.size();
    uLongf room = compressBound(static_cast<uLong>(size));
    std::string bytes(sizeof size + room, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    if (compress2(reinterpret_cast<Bytef*>(bytes.data() + sizeof size), &room,
                  reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(size), Z_BEST_SPEED) != Z_OK)
        throw std::runtime_error("no memory left to compress with");
    bytes.resize(sizeof size + room);
    return bytes;
}

std::string decompressed(std::string_view bytes) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) throw std::runtime_error("compressed text is cut off");
    std::memcpy(&size, bytes.data(), sizeof size);
    if (size > most_bytes) throw std::runtime_error("compressed text is damaged");
    std::string text(size, '\0');
    uLongf room = static_cast<uLongf>(size);
    if (uncompress(reinterpret_cast<Bytef*>(text.data()), &room,
                   reinterpret_cast<const Bytef*>(bytes.data() + sizeof size),
                   static_cast<uLong>(bytes.size() - sizeof size)) != Z_OK ||
        room != size)
        throw std::runtime_error("compressed text is damaged");
    return text;
}

}  // namespace headway::gradebook
