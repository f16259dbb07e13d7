#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <archive.h>
#include <archive_entry.h>

namespace headway::intake {

enum class Kind { zip, tar };

/// How a zip says in what its names are written: as UTF-8, marked as such, or as bytes of nobody knows which code.
enum class Names { utf8, bytes };

/// An archive that says what we want, right or wrong.
class Archive {
public:
    Archive(const std::filesystem::path& file, Kind kind, Names names = Names::utf8)
        : archive_(archive_write_new()), names_(names) {
        if (kind == Kind::zip) {
            archive_write_set_format_zip(archive_);
            if (names == Names::utf8) archive_write_set_options(archive_, "hdrcharset=UTF-8");
        } else {
            archive_write_set_format_gnutar(archive_);
            archive_write_add_filter_gzip(archive_);
        }
        archive_write_open_filename(archive_, file.c_str());
    }
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;
    ~Archive() { archive_write_free(archive_); }

    void add(const std::string& path, const std::string& text, unsigned type = AE_IFREG, const char* link = nullptr) {
        archive_entry* entry = archive_entry_new();
        if (archive_format(archive_) == ARCHIVE_FORMAT_ZIP && names_ == Names::utf8)
            archive_entry_set_pathname_utf8(entry, path.c_str());
        else
            archive_entry_set_pathname(entry, path.c_str());
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, 0644);
        if (link != nullptr && type == AE_IFLNK) archive_entry_set_symlink(entry, link);
        if (link != nullptr && type == AE_IFREG) archive_entry_set_hardlink(entry, link);
        archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
        archive_write_header(archive_, entry);
        archive_write_data(archive_, text.data(), text.size());
        archive_entry_free(entry);
    }

private:
    archive* archive_;
    Names names_;
};

/// `bytes`, which may be anything, as a bzip2 stream.
inline std::string in_bzip2(const std::string& bytes) {
    std::string packed(bytes.size() + 10'000, '\0');
    std::size_t used = 0;
    archive* writer = archive_write_new();
    archive_write_set_format_raw(writer);
    archive_write_add_filter_bzip2(writer);
    archive_write_set_bytes_in_last_block(writer, 1);  // nothing is to follow the stream but the next one
    archive_write_open_memory(writer, packed.data(), packed.size(), &used);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(writer, entry);
    archive_write_data(writer, bytes.data(), bytes.size());
    archive_entry_free(entry);
    archive_write_close(writer);
    archive_write_free(writer);
    packed.resize(used);
    return packed;
}

/// An entry of a tar as nobody writes it: of any type, with any data.
inline std::string tar_entry(char type, const std::string& name, const std::string& data) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    const auto octal = [](std::size_t number, int digits) {
        std::string text(static_cast<std::size_t>(digits), '0');
        for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number /= 8)
            *digit = static_cast<char>('0' + number % 8);
        return text;
    };
    put(0, name);
    put(100, octal(0644, 7));
    put(124, octal(data.size(), 11));
    put(136, octal(0, 11));
    put(148, "        ");
    put(156, std::string(1, type));
    put(257, "ustar  ");
    std::size_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + std::string(1, '\0'));
    return header + data + std::string((512 - data.size() % 512) % 512, '\0');
}

}  // namespace headway::intake
