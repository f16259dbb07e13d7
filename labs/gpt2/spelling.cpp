#include "labs/gpt2/spelling.hpp"

#include <map>

namespace headway::lab {
namespace {

/// A code point below 0x800 as UTF-8.
std::string utf8(unsigned point) {
    if (point < 0x80) return {static_cast<char>(point)};
    return {static_cast<char>(0xC0U | point >> 6U), static_cast<char>(0x80U | (point & 0x3FU))};
}

std::array<std::string, 256> make_spelling() {
    std::array<std::string, 256> spelling;
    unsigned next = 256;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool is_seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        spelling[byte] = utf8(is_seen ? byte : next++);
    }
    return spelling;
}

}  // namespace

const std::array<std::string, 256>& byte_spelling() {
    static const std::array<std::string, 256> all = make_spelling();
    return all;
}

std::string spelled(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) text += byte_spelling()[static_cast<unsigned char>(byte)];
    return text;
}

std::string unspelled(const std::string& token) {
    static const std::map<std::string, char> byte_of = [] {
        std::map<std::string, char> all;
        for (std::size_t byte = 0; byte < 256; ++byte) all[byte_spelling()[byte]] = static_cast<char>(byte);
        return all;
    }();
    std::string bytes;
    for (std::size_t at = 0; at < token.size();) {
        std::size_t length = 1;
        while (at + length < token.size() && (static_cast<unsigned char>(token[at + length]) & 0xC0U) == 0x80U)
            ++length;
        const std::string character = token.substr(at, length);
        const auto byte = byte_of.find(character);
        bytes += byte == byte_of.end() ? character : std::string(1, byte->second);
        at += length;
    }
    return bytes;
}

}  // namespace headway::lab
