#include "classroom/zip_file.hpp"

#include "intake/names_in_utf8.hpp"
#include "verdict/utf8.hpp"

#include <fmt/format.h>

#include <archive.h>
#include <archive_entry.h>

#include <stdexcept>
#include <system_error>
#include <utility>

namespace headway::classroom {
namespace {

namespace fs = std::filesystem;

struct FreeEntry {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

/// A part of a path that no system takes for anything else. Windows ends names before dots and spaces at their end.
bool is_harmless(std::string_view part) {
    return !part.empty() && part.size() <= ZipFile::longest_part && !part.starts_with('.') && !part.ends_with('.') &&
           !part.ends_with(' ') && part.find_first_of(std::string_view("\\:*?\"<>|\0", 9)) == std::string_view::npos &&
           verdict::showable(part) == part && part.find_first_of("\t\n") == std::string_view::npos;
}

}  // namespace

bool ZipFile::can_hold(std::string_view name) {
    for (;;) {
        const std::size_t slash = name.find('/');
        if (!is_harmless(name.substr(0, slash))) return false;
        if (slash == std::string_view::npos) return true;
        name.remove_prefix(slash + 1);
    }
}

void ZipFile::Free::operator()(archive* writer) const { archive_write_free(writer); }

ZipFile::ZipFile(fs::path file)
    : file_(std::move(file)), unfinished_(file_.string() + ".unfinished"), writer_(archive_write_new()) {
    const intake::NamesInUtf8 locale;  // it is asked for when the option is set, too
    check(archive_write_set_format_zip(writer_.get()));
    check(archive_write_set_options(writer_.get(), "zip:hdrcharset=UTF-8"));
    check(archive_write_open_filename(writer_.get(), unfinished_.c_str()));
    std::error_code ignored;  // marks and names are for the person who grades
    fs::permissions(unfinished_, fs::perms::owner_read | fs::perms::owner_write, ignored);
}

ZipFile::~ZipFile() {
    writer_.reset();
    std::error_code ignored;
    fs::remove(unfinished_, ignored);
}

void ZipFile::fail() const {
    const char* why = archive_error_string(writer_.get());
    throw std::runtime_error(fmt::format("cannot write {}: {}", file_.string(), why ? why : "unknown reason"));
}

void ZipFile::check(int status) const {
    if (status != ARCHIVE_OK) fail();
}

void ZipFile::add(const std::string& name, std::string_view text) {
    if (!can_hold(name) || !names_.insert(name).second)
        throw std::runtime_error(fmt::format("{} cannot hold an entry '{}'", file_.string(), verdict::showable(name)));
    if (text.size() > most_bytes)
        throw std::runtime_error(fmt::format("{}: {} is larger than {} MiB", file_.string(), name, most_bytes >> 20U));
    const intake::NamesInUtf8 locale;
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname_utf8(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0600);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    check(archive_write_header(writer_.get(), entry.get()));
    if (archive_write_data(writer_.get(), text.data(), text.size()) != static_cast<la_ssize_t>(text.size())) fail();
}

void ZipFile::finish() {
    check(archive_write_close(writer_.get()));
    std::error_code error;
    fs::rename(unfinished_, file_, error);
    if (error) throw std::runtime_error(fmt::format("cannot write {}: {}", file_.string(), error.message()));
}

}  // namespace headway::classroom
