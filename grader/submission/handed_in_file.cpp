#include "submission/handed_in_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headway::build {
namespace {

namespace fs = std::filesystem;

class Opened {
public:
    explicit Opened(int descriptor) : descriptor_(descriptor) {}
    Opened(Opened&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Opened& operator=(Opened&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~Opened() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    int get() const { return descriptor_; }
    explicit operator bool() const { return descriptor_ >= 0; }

private:
    int descriptor_;
};

[[noreturn]] void refuse_as_changed(const fs::path& relative) {
    throw ChangedMeanwhile(fmt::format(
        "{} changed while it was read, or is no ordinary file. Hand in files that nobody writes to, and grade again.",
        relative.string()));
}

/// After a look at the file, these mean that it or a folder above it has become something else.
[[noreturn]] void refuse(int error, const fs::path& folder, const fs::path& relative) {
    for (const int exchanged : {ELOOP, ENOTDIR, ENOENT, ENXIO})
        if (error == exchanged) refuse_as_changed(relative);
    throw fs::filesystem_error("cannot read", folder / relative, std::error_code(error, std::generic_category()));
}

/// Folder by folder, since O_NOFOLLOW is about the last part of a path only.
Opened open_without_links(const fs::path& folder, const fs::path& relative) {
    constexpr int as_place = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Opened place(::open(folder.c_str(), as_place));
    for (const fs::path& part : relative.parent_path())
        if (place) place = Opened(::openat(place.get(), part.c_str(), as_place));
    if (!place) return place;
    return Opened(::openat(place.get(), relative.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

std::string read_handed_in(const fs::path& folder, const fs::path& relative, std::uintmax_t most) {
    const Opened file = open_without_links(folder, relative);
    if (!file) refuse(errno, folder, relative);
    struct stat about {};
    if (::fstat(file.get(), &about) != 0) refuse(errno, folder, relative);
    if (!S_ISREG(about.st_mode)) refuse_as_changed(relative);
    std::string text;
    std::array<char, 1 << 16> buffer;  // NOLINT(*-member-init): filled by read
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse(errno, folder, relative);
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > most) refuse_as_changed(relative);
    }
}

}  // namespace headway::build
