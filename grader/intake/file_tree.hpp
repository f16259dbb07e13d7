#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What students hand in, read into memory: nothing of it is written to a path of their choosing.
namespace headway::intake {

/// What was handed in cannot be read as a submission; the student's row in the gradebook says so.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Honest submissions stay far below; a bomb does not get further. All hold for a hand-in as a whole, with the archives
/// in it.
struct Bounds {
    std::uintmax_t bytes = 16U << 20U;  ///< of all files, unpacked
    std::size_t entries = 4000;         ///< files and folders, also those that do not count
    std::uintmax_t archive_bytes = 64U << 20U;
    /// To unpack. What is handed in takes two or three; whether somebody waits for a processor does not matter.
    std::chrono::seconds processor_time{30};
};

/// How many folders one within the other are read: each costs a descriptor while those below it are. Sources lie in far
/// fewer (see FileTree::checked_path).
constexpr int most_nested = 64;

/// Files by path, '/' between the parts, in a bounded amount of memory. Only what can count is kept: C++ sources.
class FileTree {
public:
    explicit FileTree(Bounds bounds = {}) : bounds_(bounds) {}

    /// @throws Malformed for an absolute path, or one with ".." or a backslash
    static void require_below(std::string_view path);
    /// @throws Malformed also for a path that is too long, too deep or cannot be shown
    static std::string checked_path(std::string_view path);
    /// Whether a file of this path can count: a source, and not in .git, build, __MACOSX or the like.
    static bool counts(const std::string& path);
    /// The path with the ending of a source in small letters: "a.CPP" is "a.cpp".
    static std::string with_small_ending(std::string path);
    /// Whether a file of this path is an archive whose sources may count.
    static bool may_hold_sources(const std::string& path);

    /// Every entry is counted, kept or not. @throws Malformed if there are too many
    void count_folder();
    void count_file();
    /// What is said then.
    std::string too_many() const;
    /// @throws Malformed if the path is there already, or there is too much
    void add(const std::string& path, std::string text);
    /// Takes down why an archive was not opened, for who looks for the sources.
    void add_unread(std::string why) { unread_.push_back(std::move(why)); }
    /// How many bytes add() will still take.
    std::uintmax_t room() const { return bounds_.bytes - bytes_; }

    const Bounds& bounds() const { return bounds_; }
    const std::map<std::string, std::string>& files() const { return files_; }
    const std::vector<std::string>& unread() const { return unread_; }
    /// Whether there was no file at all, not even one that does not count.
    bool is_empty() const { return counted_files_ == 0; }

private:
    Bounds bounds_;
    std::uintmax_t bytes_ = 0;
    std::size_t entries_ = 0;
    std::size_t counted_files_ = 0;
    std::map<std::string, std::string> files_;
    std::vector<std::string> unread_;
};

/// The sources below a folder; where there are none, those in the archives below it. Links are not followed.
/// @throws Malformed also where more than most_nested folders lie one within the other
FileTree read_folder(const std::filesystem::path& folder, Bounds bounds = {});

/// The sources in an archive (.zip, .tar.gz, ...); where there are none, those in the archives in it. What is in these
/// archives in turn is not opened. Links, devices and whatever would leave the folder are refused. @throws Malformed
FileTree read_archive(const std::filesystem::path& file, Bounds bounds = {});

/// A path as messages tell it, for a stranger may make it a megabyte long: its beginning, with what cannot be shown
/// spelled out.
std::string shown(std::string_view path);

/// An archive, and the folder of the tree that its sources go to, with a '/' at its end; empty: the top.
struct PlacedArchive {
    std::filesystem::path file;
    std::string folder;
};
/// Adds the sources in these archives to `tree`, all within its bounds. @throws Malformed
void unpack_into(FileTree& tree, const std::vector<PlacedArchive>& archives);

/// ".tar.gz", ".zip" and what else is read, of a name that ends so, in capitals or not; otherwise empty.
std::string_view archive_ending(std::string_view name);
/// ".7z", ".rar" and the like: archives that are not read.
std::string_view foreign_archive_ending(std::string_view name);

/// By its name: an archive that is read.
bool is_archive(const std::filesystem::path& file);

/// Why something that is called like a source is not read, and what to do: so it is with all of these.
std::string why_no_file(std::string_view name);
/// Of an archive of another kind.
std::string why_foreign(std::string_view name);
/// Of one that could be read.
std::string why_unopened(std::string_view name);

}  // namespace headway::intake
