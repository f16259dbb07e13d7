#pragma once

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

}  // namespace headway::intake
