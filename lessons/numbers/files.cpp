#include "files.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace headway::lessons {

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error(file.string() + " cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw std::runtime_error(file.string() + " cannot be written");
}

}  // namespace headway::lessons
