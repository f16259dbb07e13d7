#include "intake/packed_bytes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <archive.h>

namespace headway::intake {
namespace {

constexpr std::size_t block_bytes = 4096;

struct Compression {
    std::string_view begins;
    int filter;
};

constexpr std::array<Compression, 3> compressions = {{{"\x1f\x8b", ARCHIVE_FILTER_GZIP},
                                                      {std::string_view("\3757zXZ\0", 6), ARCHIVE_FILTER_XZ},
                                                      {"BZh", ARCHIVE_FILTER_BZIP2}}};

/// What follows "BZh" and a digit: a block, or the end. A file in a tar may be called so, too.
constexpr std::array<std::string_view, 2> in_bzip2 = {"1AY&SY", "\x17\x72\x45\x38\x50\x90"};

bool is_compressed_by(const Compression& compression, std::string_view bytes) {
    if (!bytes.starts_with(compression.begins)) return false;
    if (compression.filter != ARCHIVE_FILTER_BZIP2) return true;
    const std::string_view behind_digit = bytes.substr(std::min(bytes.size(), compression.begins.size() + 1));
    return std::ranges::any_of(in_bzip2, [&](std::string_view part) { return behind_digit.starts_with(part); });
}

}  // namespace

struct PackedBytes::Callbacks {
    static la_ssize_t read(archive* reader, void* self, const void** block) {
        auto& source = *static_cast<PackedBytes*>(self);
        if (source.refusal_.empty()) source.refusal_ = source.too_much_();
        if (!source.refusal_.empty()) {
            archive_set_error(reader, EFBIG, "it is too much");
            return ARCHIVE_FATAL;
        }
        const std::string_view next = source.bytes_.substr(source.at_, block_bytes);
        *block = next.data();
        source.at_ += next.size();
        return static_cast<la_ssize_t>(next.size());
    }

    static la_int64_t seek(archive*, void* self, la_int64_t offset, int whence) {
        auto& source = *static_cast<PackedBytes*>(self);
        const auto end = static_cast<la_int64_t>(source.bytes_.size());
        const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? static_cast<la_int64_t>(source.at_) : end;
        if (offset < -from || offset > end - from) return ARCHIVE_FAILED;
        source.at_ = static_cast<std::size_t>(from + offset);
        return from + offset;
    }
};

int PackedBytes::open(archive* reader) {
    archive_read_set_read_callback(reader, &Callbacks::read);
    archive_read_set_seek_callback(reader, &Callbacks::seek);
    archive_read_set_callback_data(reader, this);
    return archive_read_open1(reader);
}

void support_what_is_handed_in(archive* reader, std::string_view bytes) {
    archive_read_support_format_zip(reader);
    archive_read_support_format_tar(reader);
    for (const Compression& compression : compressions)
        if (is_compressed_by(compression, bytes)) archive_read_append_filter(reader, compression.filter);
}

bool is_directory_beyond(std::string_view bytes, std::size_t entries) {
    // What is packed may hold a few by chance, and an archive in an archive has its own.
    constexpr std::size_t at_most_by_entry = 16;
    constexpr std::string_view mark = "PK\x01\x02";
    std::size_t found = 0;
    for (auto at = bytes.find(mark); at != std::string_view::npos; at = bytes.find(mark, at + mark.size()))
        if (++found > entries * at_most_by_entry) return true;
    return false;
}

}  // namespace headway::intake
