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

}  // namespace headway::build
