#include "labs/frame/files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace headway::lab {

std::string shown(const std::string& path) {
    std::error_code problem;
    const std::filesystem::path relative = std::filesystem::relative(path, problem);
    return problem || relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

std::string read_file(const std::string& file) {
    constexpr std::size_t block = std::size_t{1} << 20U;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(file, unknown);
    std::string bytes;
    if (!unknown) bytes.reserve(size + block);
    std::ifstream stream(file, std::ios::binary);
    while (stream) {
        const std::size_t before = bytes.size();
        bytes.resize(before + block);
        stream.read(bytes.data() + before, block);
        bytes.resize(before + static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof()) throw WrongUsage("cannot read " + shown(file));
    return bytes;
}

void write_file(const std::string& file, const std::string& text) {
    const std::filesystem::path path(file);
    std::error_code problem;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), problem);
    const std::string unfinished = file + ".new";
    std::ofstream stream(unfinished, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (stream) std::filesystem::rename(unfinished, path, problem);
    if (stream && !problem) return;
    std::filesystem::remove(unfinished, problem);
    throw std::runtime_error(fmt::format("cannot write {}. Is there room, and may you write there?", file));
}

}  // namespace headway::lab
