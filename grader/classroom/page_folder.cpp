#include "classroom/page_folder.hpp"

#include "submission/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <stdexcept>
#include <utility>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;

/// Of a file or a folder, and no way out of it.
bool is_plain(const std::string& name) {
    return !name.empty() && name.front() != '.' && fs::path(name).filename() == name;
}

/// "anna.html", or "anna/results.json". The list may be anybody's text: what could lead elsewhere is no name.
bool is_name(const std::string& name) {
    const auto slash = name.find('/');
    if (slash == std::string::npos) return is_plain(name);
    return is_plain(name.substr(0, slash)) && is_plain(name.substr(slash + 1));
}

void write_list(const fs::path& file, const std::set<std::string>& names) {
    build::write_file(file, fmt::format("{}\n", fmt::join(names, "\n")));
}

}  // namespace

void make_private(const fs::path& folder) {
    std::error_code ignored;  // writing says better what is wrong
    if (fs::create_directories(folder, ignored)) fs::permissions(folder, fs::perms::owner_all, ignored);
}

PageFolder::PageFolder(fs::path folder, std::set<std::string> names)
    : folder_(std::move(folder)), names_(std::move(names)) {
    make_private(folder_);
    std::ifstream known(folder_ / list);
    for (std::string name; std::getline(known, name);)
        if (is_name(name)) before_.insert(name);
    // Before the first file: one that is written and not listed would stay for ever.
    std::set<std::string> both = names_;
    both.insert(before_.begin(), before_.end());
    write_list(folder_ / list, both);
}

void PageFolder::write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_ / name;
    if (file.parent_path() != folder_) make_private(file.parent_path());
    build::write_file(file, text);
}

std::size_t PageFolder::finish() const {
    std::size_t removed = 0;
    for (const std::string& name : before_) {
        std::error_code error;
        const fs::path file = folder_ / name;
        const bool has_own_folder = file.parent_path() != folder_;
        if (has_own_folder && !fs::is_directory(fs::symlink_status(file.parent_path(), error))) continue;
        if (names_.contains(name) || !fs::is_regular_file(fs::symlink_status(file, error))) continue;
        if (fs::remove(file, error)) ++removed;
        if (error) throw std::runtime_error(fmt::format("cannot remove {}: {}", file.string(), error.message()));
        if (has_own_folder) fs::remove(file.parent_path(), error);  // unless there is something else in it
    }
    write_list(folder_ / list, names_);
    return removed;
}

}  // namespace headway::classroom
