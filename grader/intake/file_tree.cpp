#include "intake/file_tree.hpp"

#include "submission/digest.hpp"
#include "submission/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headway::intake {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_part = 200;  // file systems end at 255, and ours are written below other folders
constexpr std::size_t longest_path = 800;
constexpr std::size_t most_parts = 16;

/// Folders in which nobody writes an exercise.
constexpr std::array ignored_folders = {".git", "build", "__MACOSX", "node_modules", ".headway", ".vscode"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string FileTree::checked_path(std::string_view path) {
    const std::string shown(path.substr(0, 120));
    if (path.size() > longest_path || std::ranges::any_of(path, is_control))
        throw Malformed(fmt::format("holds a path that no submission needs: {}...", shown));
    if (path.starts_with('/') || path.find('\\') != std::string_view::npos)
        throw Malformed(fmt::format("holds the path {}, which is not below the folder handed in", shown));
    std::string checked;
    std::size_t parts = 0;
    for (const fs::path& part : fs::path(path)) {
        const std::string& name = part.native();
        if (name.empty() || name == ".") continue;
        if (name == "..")
            throw Malformed(fmt::format("holds the path {}, which is not below the folder handed in", shown));
        if (name.size() > longest_part || ++parts > most_parts)
            throw Malformed(fmt::format("holds a path that is too long or too deep: {}...", shown));
        checked += (checked.empty() ? "" : "/") + name;
    }
    return checked;
}

bool FileTree::counts(const std::string& path) {
    for (const fs::path& part : fs::path(path))
        if (std::find(ignored_folders.begin(), ignored_folders.end(), part.native()) != ignored_folders.end())
            return false;
    return build::is_source(path);
}

void FileTree::count_entry() {
    if (++entries_ > bounds_.entries) throw Malformed(fmt::format("holds more than {} files", bounds_.entries));
}

void FileTree::add(const std::string& path, std::string text) {
    if (text.size() > room()) throw Malformed(fmt::format("holds more than {} MiB of sources", bounds_.bytes >> 20U));
    bytes_ += text.size();
    const auto below = files_.lower_bound(path + "/");
    bool clashes = below != files_.end() && below->first.starts_with(path + "/");
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
        clashes = clashes || files_.contains(path.substr(0, slash));
    if (clashes) throw Malformed(fmt::format("holds {} both as a file and as a folder", path));
    if (!files_.emplace(path, std::move(text)).second) throw Malformed(fmt::format("holds {} twice", path));
}

FileTree read_folder(const fs::path& folder, Bounds bounds) {
    FileTree tree(bounds);
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
        tree.count_entry();
        const std::string path = entry->path().lexically_relative(folder).string();
        const std::string name = entry->path().filename().string();
        if (entry->is_symlink()) continue;
        if (entry->is_directory()) {
            if (std::find(ignored_folders.begin(), ignored_folders.end(), name) != ignored_folders.end())
                entry.disable_recursion_pending();
            continue;
        }
        if (!entry->is_regular_file() || !FileTree::counts(path)) continue;
        if (entry->file_size() > tree.room())
            throw Malformed(fmt::format("holds more than {} MiB of sources", bounds.bytes >> 20U));
        tree.add(FileTree::checked_path(path), build::read_file(entry->path()));
    }
    return tree;
}

bool is_archive(const fs::path& file) {
    const std::string name = file.filename().string();
    if (fs::is_directory(file)) return false;
    return std::ranges::any_of(std::array{".zip", ".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2"},
                               [&](const char* ending) { return name.ends_with(ending); });
}

}  // namespace headway::intake
