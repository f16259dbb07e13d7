#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

/// What students hand in, read into memory: nothing of it is written to a path of their choosing.
namespace headway::intake {

/// What was handed in cannot be read as a submission; the student's row in the gradebook says so.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Honest submissions stay far below; a bomb does not get further.
struct Bounds {
    std::uintmax_t bytes = 16U << 20U;  ///< of all files, unpacked
    std::size_t entries = 4000;         ///< files and folders, also those that do not count
    std::uintmax_t archive_bytes = 64U << 20U;
};

/// Files by path, '/' between the parts, in a bounded amount of memory. Only what can count is kept: C++ sources.
class FileTree {
public:
    explicit FileTree(Bounds bounds = {}) : bounds_(bounds) {}

    /// @throws Malformed for an absolute path, one with "..", one that is too long or too deep
    static std::string checked_path(std::string_view path);
    /// Whether a file of this (checked) path can count: a source, and not in .git, build, __MACOSX or the like.
    static bool counts(const std::string& path);

    /// Every entry is counted, kept or not. @throws Malformed if there are too many
    void count_entry();
    /// @throws Malformed if the path is there already, or there is too much
    void add(const std::string& path, std::string text);
    /// How many bytes add() will still take.
    std::uintmax_t room() const { return bounds_.bytes - bytes_; }

    const Bounds& bounds() const { return bounds_; }
    const std::map<std::string, std::string>& files() const { return files_; }

private:
    Bounds bounds_;
    std::uintmax_t bytes_ = 0;
    std::size_t entries_ = 0;
    std::map<std::string, std::string> files_;
};

/// The sources below a folder. Links are not followed. @throws Malformed
FileTree read_folder(const std::filesystem::path& folder, Bounds bounds = {});

/// The sources in an archive (.zip, .tar.gz, ...). Links, devices and whatever would leave the folder are refused.
/// @throws Malformed
FileTree read_archive(const std::filesystem::path& file, Bounds bounds = {});

/// By its name.
bool is_archive(const std::filesystem::path& file);

}  // namespace headway::intake
