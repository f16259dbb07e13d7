#include "intake/file_tree.hpp"

#include "submission/handed_in_file.hpp"
#include "submission/submission.hpp"
#include "verdict/utf8.hpp"

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

bool is_ignored(const fs::path& folder) {
    return std::find(ignored_folders.begin(), ignored_folders.end(), folder.native()) != ignored_folders.end();
}

bool is_in_ignored_folder(const fs::path& path) { return std::any_of(path.begin(), path.end(), is_ignored); }

/// Of files that are compiled. A header is included by its name, and keeps it.
constexpr std::array<std::string_view, 3> source_endings = {".cpp", ".cc", ".cxx"};
/// Those that libarchive is told to read, the longer before the shorter; see archive.cpp.
constexpr std::array<std::string_view, 6> archive_endings = {".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".tar", ".zip"};
constexpr std::array<std::string_view, 8> foreign_endings = {".7z",  ".rar", ".zipx", ".gz",
                                                             ".zst", ".xz",  ".bz2",  ".lzh"};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <std::size_t Count>
std::string_view ending_among(std::string_view name, const std::array<std::string_view, Count>& endings) {
    for (const std::string_view ending : endings) {
        if (name.size() <= ending.size()) continue;
        const std::string_view tail = name.substr(name.size() - ending.size());
        if (std::ranges::equal(tail, ending, {}, small)) return ending;
    }
    return {};
}

}  // namespace

std::string shown(std::string_view path) {
    constexpr std::size_t most = 120;
    return verdict::showable(path.substr(0, most)) + (path.size() > most ? "..." : "");
}

void FileTree::require_below(std::string_view path) {
    bool leaves = path.starts_with('/') || path.find('\\') != std::string_view::npos;
    for (const fs::path& part : fs::path(path)) leaves = leaves || part == "..";
    if (leaves) throw Malformed(fmt::format("holds the path {}, which is not below the folder handed in", shown(path)));
}

std::string FileTree::checked_path(std::string_view path) {
    require_below(path);
    if (std::ranges::any_of(path, is_control))
        throw Malformed(
            fmt::format("holds {}, whose name has characters that cannot be shown; rename it", shown(path)));
    std::string checked;
    std::size_t parts = 0;
    bool is_too_long = path.size() > longest_path;
    for (const fs::path& part : fs::path(path)) {
        const std::string& name = part.native();
        if (name.empty() || name == ".") continue;
        is_too_long = is_too_long || name.size() > longest_part || ++parts > most_parts;
        checked += (checked.empty() ? "" : "/") + name;
    }
    if (is_too_long) throw Malformed(fmt::format("holds a path that is too long or too deep: {}", shown(path)));
    return checked;
}

bool FileTree::counts(const std::string& path) { return !is_in_ignored_folder(path) && build::is_source(path); }

std::string FileTree::with_small_ending(std::string path) {
    const std::string_view ending = ending_among(path, source_endings);
    std::transform(path.end() - std::ssize(ending), path.end(), path.end() - std::ssize(ending), small);
    return path;
}

bool FileTree::may_hold_sources(const std::string& path) {
    return !archive_ending(path).empty() && !fs::path(path).filename().string().starts_with("._") &&
           !is_in_ignored_folder(path);
}

void FileTree::count_folder() {
    if (++entries_ > bounds_.entries) throw Malformed(too_many());
}

std::string FileTree::too_many() const { return fmt::format("holds more than {} files", bounds_.entries); }

void FileTree::count_file() {
    count_folder();
    ++counted_files_;
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
    std::vector<PlacedArchive> archives;
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
        const std::string name = entry->path().filename().string();
        if (!entry->is_symlink() && entry->is_directory()) {
            tree.count_folder();
            if (is_ignored(name)) entry.disable_recursion_pending();
            if (entry.depth() >= most_nested)
                throw Malformed(
                    fmt::format("holds more than {} folders one within the other; hand in the exercise "
                                "folders alone",
                                most_nested));
            continue;
        }
        tree.count_file();
        std::string path = entry->path().lexically_relative(folder).string();
        if (entry->is_symlink() || !entry->is_regular_file()) {
            if (FileTree::counts(FileTree::with_small_ending(path))) tree.add_unread(why_no_file(path));
            continue;
        }
        // A zip of Windows that was unpacked elsewhere: its folders are in the names of files.
        std::ranges::replace(path, '\\', '/');
        path = FileTree::with_small_ending(std::move(path));
        if (FileTree::may_hold_sources(path)) archives.push_back({entry->path(), path + "/"});
        if (!foreign_archive_ending(name).empty()) tree.add_unread(why_foreign(path));
        if (!FileTree::counts(path)) continue;
        if (entry->file_size() > tree.room())
            throw Malformed(fmt::format("holds more than {} MiB of sources", bounds.bytes >> 20U));
        tree.add(FileTree::checked_path(path),
                 build::read_handed_in(folder, entry->path().lexically_relative(folder), tree.room()));
    }
    if (tree.files().empty())
        unpack_into(tree, archives);
    else
        for (const PlacedArchive& archive : archives) tree.add_unread(why_unopened(archive.file.filename().native()));
    return tree;
}

std::string_view archive_ending(std::string_view name) { return ending_among(name, archive_endings); }

std::string_view foreign_archive_ending(std::string_view name) {
    return archive_ending(name).empty() ? ending_among(name, foreign_endings) : std::string_view();
}

bool is_archive(const fs::path& file) {
    return !archive_ending(file.filename().native()).empty() && !fs::is_directory(file);
}

std::string why_no_file(std::string_view name) {
    return fmt::format("{} is a link, or no ordinary file; hand in the file itself", shown(name));
}

std::string why_foreign(std::string_view name) {
    return fmt::format("{} is an archive of a kind that is not read; hand in a .zip or a .tar.gz", shown(name));
}

std::string why_unopened(std::string_view name) {
    return fmt::format("{} was not opened, because there are sources beside it; hand in one or the other", shown(name));
}

}  // namespace headway::intake
