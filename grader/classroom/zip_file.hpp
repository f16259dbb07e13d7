#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

struct archive;

namespace headway::classroom {

/// A zip that appears when it is whole: until finish() it lies beside its place under another name.
/// Whatever fails is a std::runtime_error that names the file.
class ZipFile {
public:
    explicit ZipFile(std::filesystem::path file);
    ZipFile(const ZipFile&) = delete;
    ZipFile& operator=(const ZipFile&) = delete;
    ~ZipFile();

    /// Whether a name ("folder/file") stays inside the folder that somebody unpacks the zip in, on every system, and
    /// shows what it is.
    static bool can_hold(std::string_view name);

    /// @throws std::runtime_error for any other name, one that is there already, and for a text beyond all measure
    void add(const std::string& name, std::string_view text);
    void finish();

    static constexpr std::size_t most_bytes = 16U << 20U;  ///< of one entry
    static constexpr std::size_t longest_part = 200;       ///< of a name, between slashes: what every system can hold

private:
    [[noreturn]] void fail() const;
    void check(int status) const;

    struct Free {
        void operator()(archive* writer) const;
    };
    std::filesystem::path file_;
    std::filesystem::path unfinished_;
    std::unique_ptr<archive, Free> writer_;
    std::set<std::string> names_;
};

}  // namespace headway::classroom
