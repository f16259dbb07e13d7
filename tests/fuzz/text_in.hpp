#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

/// What the fuzzers of readers share: the input as text, and as a file for readers that take a path.
namespace headway::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Ends the run as a finding unless it holds.
inline void require(bool holds) {
    if (!holds) __builtin_trap();
}

/// A file in memory, written anew for each input and gone with the process.
class InputFile {
public:
    explicit InputFile(const std::string& name)
        : folder_("/dev/shm/headway-fuzz-" + std::to_string(::getpid())), path_(folder_ / name) {
        std::filesystem::create_directories(folder_);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    const std::filesystem::path& holding(std::string_view bytes) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
        return path_;
    }

private:
    std::filesystem::path folder_, path_;
};

}  // namespace headway::fuzz
