#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace headway::build {

/// SHA-256 of a sequence of parts; parts are delimited, so that ("ab", "c") and ("a", "bc") differ.
class Digest {
public:
    Digest();
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    Digest& add(std::string_view part);
    /// @throws std::runtime_error if the file cannot be read
    Digest& add_file(const std::filesystem::path& file);

    /// Lower-case hexadecimal; ends the sequence.
    std::string hex();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

/// Path, size and time of a file: enough to see that what is prebuilt has changed, without reading it.
std::string identity(const std::filesystem::path& file);

/// The whole file. @throws std::runtime_error if it cannot be read
std::string read_file(const std::filesystem::path& file);

/// Replaces the file in one step, so that an interruption leaves the old or the new text.
/// @throws std::runtime_error if it cannot be written (a full disk, say)
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace headway::build
