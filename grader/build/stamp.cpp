#include "build/stamp.hpp"

#include "submission/digest.hpp"

namespace headway::build {
namespace {

namespace fs = std::filesystem;

fs::path stamp_of(fs::path product) { return product += ".digest"; }

}  // namespace

bool is_up_to_date(const fs::path& product, const std::string& digest) {
    const fs::path file = stamp_of(product);
    std::error_code ignored;
    return fs::exists(product, ignored) && fs::exists(file, ignored) && read_file(file) == digest;
}

void stamp(const fs::path& product, const std::string& digest) { write_file(stamp_of(product), digest); }

std::uint64_t bytes_of(const Words& files) {
    std::uint64_t bytes = 0;
    std::error_code missing;
    for (const std::string& file : files)
        if (const std::uintmax_t size = fs::file_size(file, missing); !missing) bytes += size;
    return bytes;
}

void forget_large(const Words& objects, std::uint64_t most) {
    std::error_code ignored;
    if (bytes_of(objects) > most)
        for (const std::string& object : objects) fs::remove(object, ignored);
}

}  // namespace headway::build
