#include "scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace headway::build {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const fs::path& parent) {
    fs::create_directories(parent);
    std::string name = (parent / "XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), "cannot make a folder in " + parent.string());
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace headway::build
