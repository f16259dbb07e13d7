#include "submission/digest.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include <openssl/evp.h>
#include <unistd.h>

namespace headway::build {

struct Digest::Context {
    EVP_MD_CTX* evp = EVP_MD_CTX_new();
    ~Context() { EVP_MD_CTX_free(evp); }
};

Digest::Digest() : context_(std::make_unique<Context>()) {
    if (EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error("SHA-256 is not available");
}

Digest::~Digest() = default;

Digest& Digest::add(std::string_view part) {
    const std::uint64_t size = part.size();
    EVP_DigestUpdate(context_->evp, &size, sizeof size);
    EVP_DigestUpdate(context_->evp, part.data(), part.size());
    return *this;
}

Digest& Digest::add_file(const std::filesystem::path& file) { return add(read_file(file)); }

std::string Digest::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_->evp, bytes.data(), &size);
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4U];
        text += digits[bytes[i] & 15U];
    }
    return text;
}

std::string identity(const std::filesystem::path& file) {
    std::error_code ignored;
    return file.string() + " " + std::to_string(std::filesystem::file_size(file, ignored)) + " " +
           std::to_string(std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream || !text) {
        std::error_code ignored;
        if (!stream.is_open() || std::filesystem::file_size(file, ignored) != 0)
            throw std::runtime_error("cannot read " + file.string());
    }
    return text.str();
}

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& file, std::error_code cause) {
    throw std::system_error(cause, "cannot write " + file.string());
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::path temporary = file;
    temporary += "." + std::to_string(::getpid()) + ".new";
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        stream.write(text.data(), static_cast<std::streamsize>(text.size()));
        stream.close();
        if (!stream) {
            const int cause = errno;
            std::error_code ignored;
            std::filesystem::remove(temporary, ignored);
            cannot_write(file, {cause, std::generic_category()});
        }
    }
    std::error_code failed;
    std::filesystem::rename(temporary, file, failed);
    if (!failed) return;
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    cannot_write(file, failed);
}

}  // namespace headway::build
