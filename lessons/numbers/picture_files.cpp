#include "picture_files.hpp"

#include "files.hpp"

#include <algorithm>

namespace headway::lessons {
namespace {

namespace fs = std::filesystem;

const std::string next_step = "; lesson_numbers --write lessons draws it anew";

}  // namespace

std::vector<std::string> complaints_about(const fs::path& folder, const std::map<std::string, std::string>& drawn) {
    std::vector<std::string> complaints;
    for (const auto& [name, text] : drawn) {
        if (!fs::exists(folder / name))
            complaints.push_back("pictures/" + name + " is missing" + next_step);
        else if (contents(folder / name) != text)
            complaints.push_back("pictures/" + name + " is not what is computed" + next_step);
    }
    if (fs::exists(folder))
        for (const fs::directory_entry& entry : fs::directory_iterator(folder))
            if (const std::string name = entry.path().filename().string(); !drawn.contains(name))
                complaints.push_back("pictures/" + name + " is drawn by nothing; delete it");
    std::sort(complaints.begin(), complaints.end());
    return complaints;
}

void write_pictures(const fs::path& folder, const std::map<std::string, std::string>& drawn) {
    fs::create_directories(folder);
    for (const auto& [name, text] : drawn)
        if (!fs::exists(folder / name) || contents(folder / name) != text) write(folder / name, text);
}

}  // namespace headway::lessons
