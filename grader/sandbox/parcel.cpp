#include "sandbox/parcel.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace headway::sandbox {
namespace {

/// Takes `count` bytes from the front. Nothing if there are fewer.
std::optional<std::string_view> take(std::string_view& bytes, std::size_t count) {
    if (bytes.size() < count) return std::nullopt;
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
}

std::optional<std::string> take_name(std::string_view& bytes) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    std::string name(*take(bytes, end));
    bytes.remove_prefix(1);
    return name;
}

std::optional<std::string> take_chunks(std::string_view& bytes) {
    std::string content;
    for (;;) {
        const auto word = take(bytes, sizeof(std::uint32_t));
        if (!word) return std::nullopt;
        std::uint32_t count = 0;
        std::memcpy(&count, word->data(), sizeof count);
        if (count == 0) return content;
        const auto chunk = take(bytes, count);
        if (!chunk) return std::nullopt;
        content += *chunk;
    }
}

bool is_plain(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

Parcel open_parcel(const std::filesystem::path& file, std::uintmax_t most_bytes) {
    Parcel parcel;
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > most_bytes) return parcel;
    std::ostringstream whole;
    whole << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string text = std::move(whole).str();
    for (std::string_view rest = text; !rest.empty();) {
        const auto name = take_name(rest);
        auto content = name ? take_chunks(rest) : std::nullopt;
        if (!content) break;
        if (is_plain(*name)) parcel[*name] = std::move(*content);
    }
    return parcel;
}

}  // namespace headway::sandbox
