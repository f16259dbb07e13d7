#include "submission/scratch_folder.hpp"

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
    // Nobody else can list it. In the weaker jail a worker is another user, who must reach the program that it runs.
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace headway::build
