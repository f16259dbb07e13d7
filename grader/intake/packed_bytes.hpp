#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

struct archive;

/// What libarchive is given to read, and how much at a time.
namespace headway::intake {

/// An archive in memory, handed out in small blocks: bzip2 makes 80 MB of one of them. Between blocks somebody is asked
/// whether there is to be another one, since a single call to libarchive may read as many as there are.
class PackedBytes {
public:
    /// @param too_much  why there is to be none; empty: there is
    PackedBytes(std::string_view bytes, std::function<std::string()> too_much)
        : bytes_(bytes), too_much_(std::move(too_much)) {}
    PackedBytes(const PackedBytes&) = delete;
    PackedBytes& operator=(const PackedBytes&) = delete;

    /// @return what libarchive says; it keeps a pointer to this
    int open(archive* reader);
    /// Why reading ended before the end; empty if it did not.
    const std::string& refusal() const { return refusal_; }

private:
    struct Callbacks;

    std::string_view bytes_;
    std::function<std::string()> too_much_;
    std::size_t at_ = 0;
    std::string refusal_;
};

/// Tells libarchive which formats there are, and the one compression that `bytes` begin with: what people hand in, for
/// each more is more code that reads strangers' bytes. Left to find out by itself it undoes up to 25 compressions in a
/// row, and a megabyte may pass on petabytes between two of them.
void support_what_is_handed_in(archive* reader, std::string_view bytes);

/// Whether `bytes` have far more entries of a zip's directory than `entries`. Each is kept by libarchive before we see
/// the first one, also if all of them are about the same file.
bool is_directory_beyond(std::string_view bytes, std::size_t entries);

}  // namespace headway::intake
